import { childKinds, idsOf, type Kinds, Lookup, parentColumn, type Resource } from '../../record/index.ts'
import { claimedStatement, type Statement } from '../../sql/index.ts'
import type { WorkingSet } from '../../write/working-set.ts'

/** What refers to a record: another record by a field, or a link that belongs to the record. */
interface Holder {
  readonly kind: string
  readonly id: string
  /** Null for a link of the record's own. */
  readonly field: string | null
}

const compiled = new Map<string, Statement>()

/** The holders of each of these records, at most `most` by each field. Adding one waits for a lock on the record. */
export function holdersAmong(
  resource: Resource,
  kinds: Kinds,
  ids: readonly string[],
  most: number,
): Lookup<ReadonlyMap<string, readonly Holder[]>> {
  const statement = compiled.get(resource.kind) ?? compile(resource, kinds)
  compiled.set(resource.kind, statement)
  return new Lookup(statement, [ids, most], rows => {
    const holders = new Map<string, Holder[]>()
    for (const { target, kind, id, field } of rows) {
      const holder = { kind: String(kind), id: String(id), field: field === null ? null : String(field) }
      const known = holders.get(String(target))
      if (known === undefined) holders.set(String(target), [holder])
      else known.push(holder)
    }
    return holders
  })
}

/** Whether it refers to the record even now: earlier steps of the transaction may have unlinked it. */
export function holds({ kind, id, field }: Holder, targetId: string, work: WorkingSet): boolean {
  const record = work.record(kind, id)
  if (record === null) return !work.hasChanged(kind, id)
  if (field === null) return true
  const value = record[field]
  return Array.isArray(value) ? idsOf(value).includes(targetId) : value === targetId
}

/** $1 organization, $2 ids, $3 the most holders by each field. */
function compile(resource: Resource, { resources, nestedResources }: Kinds): Statement {
  const referring = [...resources, ...nestedResources].flatMap(({ kind, references }) =>
    references
      .filter(reference => reference.kind === resource.kind)
      .map(({ table, ownerColumn, targetColumn, name }) =>
        select(table, { kind, id: ownerColumn, field: `'${name}'`, target: targetColumn }),
      ),
  )
  const own = childKinds(resource, nestedResources)
    .filter(({ parent }) => parent.uniqueReference !== undefined)
    .map(child => select(child.table.name, { kind: child.kind, id: 'id', field: 'null', target: parentColumn(child) }))
  return claimedStatement(`holders_among_${resource.plural}`, [...referring, ...own].join('\n   union all\n   '))
}

interface HolderColumns {
  readonly kind: string
  readonly id: string
  readonly field: string
  readonly target: string
}

function select(table: string, { kind, id, field, target }: HolderColumns): string {
  return `select r.id as target, '${kind}' as kind, h.id, ${field}::text as field
     from unnest($2::uuid[]) as r (id)
    cross join lateral (
      select l.${id} as id from ${table} l where l.organization_id = $1 and l.${target} = r.id limit $3) as h`
}
