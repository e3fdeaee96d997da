import { inSlices } from '../../admission/index.ts'
import type { Secret } from '../../encryption/secret.ts'
import { type Issue, notFound, type Refusal, refuse, unprocessable } from '../../errors/index.ts'
import { keyLookup, Lookup, type Resource, recordStatements } from '../../record/index.ts'
import type { Reference } from '../../schema/index.ts'
import { claimedStatement, type Row, type Statement } from '../../sql/index.ts'
import { goneKey } from '../../write/working-set.ts'

/** The most unresolved references that a refusal lists. */
const mostMissing = 10

/**
 * Many references to records of one kind, which one statement resolves without locking anything. External keys are those of this
 * application.
 */
export class BulkReferences {
  readonly #resource: Resource
  readonly #references: readonly Reference[]
  /** The rows that the references resolve to. */
  readonly rows: Lookup

  private constructor(resource: Resource, references: readonly Reference[], values: readonly unknown[]) {
    this.#resource = resource
    this.#references = references
    this.rows = Lookup.rows(resolveStatement(resource), values)
  }

  /** Prepares the references. There may be 10,000, so this yields to the event loop. */
  static of(
    resource: Resource,
    references: readonly Reference[],
    applicationId: string,
    secret: Pick<Secret, 'goneKey'>,
  ): Promise<BulkReferences> {
    return inSlices(prepare())

    function* prepare(): Generator<unknown, BulkReferences> {
      const ids: (string | null)[] = []
      const keys: (string | null)[] = []
      const goneKeys: (string | null)[] = []
      for (const reference of references) {
        ids.push('id' in reference ? reference.id : null)
        keys.push('id' in reference ? null : reference.externalId)
        goneKeys.push('id' in reference ? null : secret.goneKey(reference.externalId))
        yield
      }
      return new BulkReferences(resource, references, [applicationId, ids, keys, goneKeys])
    }
  }

  /**
   * The ids of the records, in the order of the references; or a refusal of all of them: 404 if some do not exist, else 410 if some are
   * gone, else 422 if two lead to the same record. `path` is the path of the list.
   */
  resolve(rows: readonly Row[], path: string): readonly string[] | Refusal {
    const ids = this.#references.map((): string | null => null)
    let gone: { readonly index: number; readonly refusal: Refusal } | null = null
    for (const row of rows) {
      const index = Number(row.ordinal)
      const refusal = this.#refusalOf(row, `${path}/${index}`)
      if (refusal !== null && (gone === null || index < gone.index)) gone = { index, refusal }
      ids[index] = String(row.id)
    }
    const found = ids.filter(id => id !== null)
    if (found.length < ids.length) return this.#missing(ids)
    return gone?.refusal ?? refuseDoubled(found, path) ?? found
  }

  #refusalOf({ reason, visible }: Row, path: string): Refusal | null {
    const { kind } = this.#resource
    if (reason === 'deleted' || reason === 'merged' || reason === 'anonymized') return goneKey(kind, reason, path)
    return visible === false ? refuse('resource_deleted', { path }) : null
  }

  #missing(ids: readonly (string | null)[]): Refusal {
    const missing = this.#references
      .map((reference, index) => ({ index, ...reference }))
      .filter((_, index) => ids[index] === null)
    return notFound(undefined, { missingCount: missing.length, missing: missing.slice(0, mostMissing) })
  }
}

function refuseDoubled(ids: readonly string[], path: string): Refusal | null {
  if (new Set(ids).size === ids.length) return null
  const seen = new Set<string>()
  const issues: Issue[] = []
  for (const [index, id] of ids.entries()) {
    if (seen.has(id)) {
      issues.push({ path: `${path}/${index}`, rule: 'unique', message: 'Refers to a record that the list has already' })
    }
    seen.add(id)
  }
  return unprocessable(issues)
}

const compiled = new Map<string, Statement>()

/** One row for each reference to an existing record, or by key to one that is gone. */
function resolveStatement(resource: Resource): Statement {
  const { kind, table } = resource
  const known = compiled.get(kind)
  if (known !== undefined) return known
  const { visible } = recordStatements(resource)
  const live = keyLookup({ columns: ['resource_id'], kind: `'${kind}'`, key: 'w.key', gone: false })
  const dead = keyLookup({ columns: ['resource_id', 'reason'], kind: `'${kind}'`, key: 'w.gone_key', gone: true })
  const made = claimedStatement(
    `resolve_bulk_references_to_${kind}`,
    `select w.ordinal - 1 as ordinal, coalesce(r.id, dead.resource_id) as id, r.visible, dead.reason
     from unnest($3::uuid[], $4::text[], $5::text[]) with ordinality as w(id, key, gone_key, ordinal)
     left join lateral ${live} as live on true
     left join lateral ${dead} as dead on true
     left join lateral (
       select t.id, ${visible} as visible from ${table.name} t
        where t.organization_id = $1 and t.id = coalesce(w.id, live.resource_id)
       offset 0) as r on true
    where r.id is not null or dead.reason is not null`,
  )
  compiled.set(kind, made)
  return made
}
