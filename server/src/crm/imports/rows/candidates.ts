import {
  bounds,
  type FoundBy,
  type FoundRecord,
  type Lookup,
  type Resource,
  recordsFound,
} from '../../../kernel/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import type { DedupPolicy } from '../dedup-policy.ts'
import { MatchIndex } from './match-index.ts'
import { lookupOf } from './match-values.ts'
import { type RowPlan, textValue } from './row-plan.ts'

/** Rows and the records that they may match. */
export interface LookingRows {
  readonly resource: Resource
  readonly plans: readonly RowPlan[]
  readonly policy: DedupPolicy
  readonly country: string
  /** The application to which the keys in the rows belong. */
  readonly applicationId: string | null
}

/**
 * Finds the records that rows may match, with one statement for each kind of value. A row with a key looks for records without a key: it
 * never matches a record with another key, and the key itself finds the record that has it.
 */
export function lookupsOf({ resource, plans, applicationId }: LookingRows): readonly Lookup<readonly FoundRecord[]>[] {
  const texts = new Map<FoundBy, { readonly values: string[]; readonly withoutKey: string[] }>()
  for (const plan of plans) {
    const isKeyed = textValue(plan, 'externalId') !== null
    for (const { by, wanted } of plan.matches) {
      const way = lookupOf(by, resource.kind)
      if (way === undefined) continue
      const { values, withoutKey } = texts.get(way) ?? { values: [], withoutKey: [] }
      texts.set(way, { values, withoutKey })
      for (const text of wanted) (isKeyed ? withoutKey : values).push(text)
    }
  }
  return [...texts].map(([way, sought]) => recordsFound(resource, way, { ...sought, applicationId }))
}

/** The records that the first rows of a chunk may match, and the number of these rows. The next chunk takes the others. */
interface Candidates {
  readonly ids: ReadonlySet<string>
  readonly count: number
}

/**
 * Returns a function that picks the candidates. The result is computed once, because every round needs it and there may be thousands of
 * matches.
 */
export function candidatesOf(
  rows: LookingRows,
  lookups: readonly Lookup<readonly FoundRecord[]>[],
): (work: WorkingSet) => Candidates {
  let known: Candidates | null = null
  return work => {
    if (known !== null) return known
    const found = new Map<string, FoundRecord>()
    for (const record of lookups.flatMap(lookup => work.read(lookup)))
      found.set(record.id, { ...found.get(record.id), ...record })
    const candidates = candidatesAmong(found, rows)
    if (found.size > 0) known = candidates
    return candidates
  }
}

/**
 * Compares the matches of the indexes with the values of the rows, because indexes find more than equal values. Takes as many rows as match
 * about `importMatches` records together, at least one.
 */
function candidatesAmong(found: ReadonlyMap<string, FoundRecord>, { plans, policy, country }: LookingRows): Candidates {
  const index = new MatchIndex(policy.matchBy, country, id => found.get(id) ?? null)
  for (const record of found.values()) index.add(record)
  const ids = new Set<string>()
  for (const [count, { errors, matches }] of plans.entries()) {
    const more = errors.length > 0 ? [] : index.find(matches).filter(id => !ids.has(id))
    if (count > 0 && ids.size + more.length > bounds.importMatches.most) return { ids, count }
    for (const id of more) ids.add(id)
  }
  return { ids, count: plans.length }
}
