import type { Resource } from '../../record/index.ts'
import { type Statement, statement } from '../../sql/index.ts'
import type { LinkedKind } from './linked-kinds.ts'

/** The most linked records of a kind that a page names. */
export const mostNamed = 20

const compiled = new Map<string, Statement>()

/**
 * What is linked with a record: $1 organization, $2 id, $3 the names of the kinds that the caller may read, $4 the most of each. Each row is of one kind, `name`:
 * `ids`, the newest first, and their number.
 */
export function selectLinked({ kind }: Resource, linked: readonly LinkedKind[]): Statement {
  const known = compiled.get(kind)
  if (known !== undefined) return known
  const parts = linked.map(({ name, other, table, ownColumn, otherColumn }) => {
    const isAsked = `'${name}' = any ($3::text[])`
    const ids = other === null ? `'{}'::uuid[]` : `(array_agg(f.id order by f.id desc))[1:${mostNamed}]`
    // An index has them in this order. Parts are counted alone, and have other orders.
    const newest = other === null ? '' : `order by l.${otherColumn} desc`
    return `select '${name}' as name, ${ids} as ids, count(*)::integer as count
        from (select l.${otherColumn} as id from ${table} l
               where l.organization_id = $1 and l.${ownColumn} = $2 and l.${otherColumn} is not null and ${isAsked}
               ${newest} limit $4) f
      having ${isAsked}`
  })
  const made = statement(`select_linked_with_${kind}`, parts.join('\n      union all\n      '))
  compiled.set(kind, made)
  return made
}

/** The keys that applications have for a record: $1 organization, $2 id, $3 kind. */
export const selectKeys = statement(
  'select_keys_of_record',
  `select k.application_id as id, a.name, k.key
     from (select e.application_id, e.kind, e.gone, e.key from external_keys e
            where e.organization_id = $1 and e.resource_id = $2
           offset 0) as k
    cross join lateral (
      select x.name from applications x where x.organization_id = $1 and x.id = k.application_id offset 0) as a
    where k.kind = $3 and not k.gone
    order by a.name, k.application_id`,
)
