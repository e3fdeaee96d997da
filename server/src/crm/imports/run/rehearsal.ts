import { type Kinds, Lookup, mostFound, type Needs, type RecordState, type Resource } from '../../../kernel/index.ts'
import { isObject, textOrNull } from '../../../kernel/schema/index.ts'
import { claimedStatement, type Row } from '../../../kernel/sql/index.ts'
import type { RowChange, WorkingSet } from '../../../kernel/write/index.ts'
import { matchKeys } from '../dedup-policy.ts'
import { importRehearsals } from '../imports.sql.ts'
import { heldValuesOf, type MatchValue } from '../rows/match-values.ts'

const rehearsed = 'select r.kind, r.id, r.parent_id, r.state from import_rehearsals r'

/**
 * $1 organization, $2 import, $3 words: records that earlier rows of the dry run would have made, by their values. As for existing records,
 * the number of candidates for one value is limited: beyond it the match is ambiguous.
 */
const selectByWords = claimedStatement(
  'select_rehearsed_by_words',
  `select r.kind, r.id, r.parent_id, r.state
     from unnest($3::text[]) as wanted(word)
    cross join lateral (
       select r.* from (
         ${rehearsed} where r.organization_id = $1 and r.import_id = $2 and r.words @> array[wanted.word]
         offset 0) as r
       limit ${mostFound}) as r`,
)

/** $1 organization, $2 import, $3 ids: the state that these records would have, and their links. */
const selectByIds = claimedStatement(
  'select_rehearsed_by_ids',
  `${rehearsed} where r.organization_id = $1 and r.import_id = $2 and r.id = any ($3::uuid[])
    union all
   ${rehearsed} where r.organization_id = $1 and r.import_id = $2 and r.parent_id = any ($3::uuid[])`,
)

/**
 * The decisions of a dry run so far. It writes no records, so their would-be states are stored beside the import, and later rows are
 * decided on them: that is why a dry run predicts what the run does.
 */
export class Rehearsal {
  readonly #importId: string
  readonly #kinds: Kinds
  readonly #country: string
  readonly #asked = new Set<string>()
  readonly #lookups: Lookup[] = []

  constructor(importId: string, kinds: Kinds, country: string) {
    this.#importId = importId
    this.#kinds = kinds
    this.#country = country
  }

  /** Loads the decisions about records with one of these values, and about the records loaded so far. */
  needs(needs: Needs, work: WorkingSet, words: readonly string[]): void {
    if (words.length > 0) this.#need(needs, Lookup.rows(selectByWords, [this.#importId, words]))
    const loaded = this.#kinds.resources.flatMap(({ kind }) => [...work.siblings(kind)].map(({ id }) => id))
    const found = this.#rows(work).map(({ id }) => String(id))
    const ids = [...new Set([...loaded, ...found])].filter(id => !this.#asked.has(id))
    if (ids.length === 0) return
    for (const id of ids) this.#asked.add(id)
    this.#need(needs, Lookup.rows(selectByIds, [this.#importId, ids]))
  }

  #need(needs: Needs, lookup: Lookup): void {
    if (!this.#lookups.some(({ key }) => key === lookup.key)) this.#lookups.push(lookup)
    needs.toLoad(lookup)
  }

  /** The would-be states of the records, on which the rows of a chunk are decided. */
  stage(work: WorkingSet): WorkingSet {
    const stage = work.copy()
    for (const row of this.#rows(work)) {
      const resource = this.#kindOf(row)
      const state = stateOf(row)
      const { externalId: before = null } = stage.record(resource.kind, state.id) ?? {}
      if (before !== null && before !== state.externalId) stage.forgetKey(resource.kind, before)
      stage.load(resource, state)
      if (state.externalId !== null)
        stage.loadKey(resource.kind, state.externalId, { state: 'live', resourceId: state.id })
    }
    return stage
  }

  /** The rows that store the decisions on a stage. */
  rows(work: WorkingSet, stage: WorkingSet): RowChange[] {
    const known = new Set(this.#rows(work).map(({ id }) => String(id)))
    return [...stage.changed()].flatMap(({ resource, current }): RowChange[] => {
      if (current === null) return []
      const { id } = current
      const row = {
        import_id: this.#importId,
        kind: resource.kind,
        id,
        parent_id: resource.parent === null ? null : current[resource.parent.member],
        words: wordsOf(resource.kind, current, this.#country),
        state: current,
      }
      return [{ table: importRehearsals, operation: known.has(id) ? 'update' : 'insert', row }]
    })
  }

  #rows(work: WorkingSet): readonly Row[] {
    const rows = this.#lookups.flatMap(lookup => work.read(lookup))
    return [...new Map(rows.map(row => [String(row.id), row])).values()]
  }

  #kindOf({ kind }: Row): Resource {
    const found = [...this.#kinds.resources, ...this.#kinds.nestedResources].find(each => each.kind === kind)
    if (found === undefined) throw new Error(`there is no kind ${String(kind)}`)
    return found
  }
}

/** The values by which rows find a record. */
function wordsOf(kind: string, record: RecordState, country: string): string[] {
  return heldValuesOf(record, matchKeys, country).map(value => matchWord(kind, value, record.externalId !== null))
}

/**
 * The form in which a value of a record with or without a key is looked up. Ids and keys belong to one record, whether it has a key or not.
 * Contacts and companies may have the same name.
 */
export function matchWord(kind: string, { by, text }: Pick<MatchValue, 'by' | 'text'>, isKeyed: boolean): string {
  const isShared = by !== 'uuid' && by !== 'externalId'
  return isShared && isKeyed ? `keyed ${kind} ${by}:${text}` : `${kind} ${by}:${text}`
}

function stateOf({ id, state }: Row): RecordState {
  if (!isObject(state)) throw new Error('a rehearsed record has no state')
  return {
    ...state,
    id: String(id),
    externalId: textOrNull(state.externalId),
    version: Number(state.version),
    createdAt: String(state.createdAt),
    updatedAt: String(state.updatedAt),
    createdByApplicationId: textOrNull(state.createdByApplicationId),
    createdByUuid: textOrNull(state.createdByUuid),
    updatedByUuid: textOrNull(state.updatedByUuid),
  }
}
