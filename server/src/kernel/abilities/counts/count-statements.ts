import type { Resource } from '../../record/index.ts'
import type { Bind } from '../../sql/index.ts'
import type { ListCondition, ListSelection } from '../list-selection.ts'
import { foundIn, type ListPosition, lookedAt } from '../selection-statements.ts'

/** Where a statement begins to count, and how many records it looks at. */
interface Portion {
  readonly after: ListPosition | null
  readonly looks: number
  readonly bind: Bind
}

/** PostgreSQL must learn the type of $2, which only some conditions use. */
const asked = '(values ($2::uuid)) as asked(by)'

/**
 * The text that counts the chosen ones among the next `looks` records: `found`, and the position of the last record that was looked at, null
 * at the end. $1 organization, $2 application.
 */
export function countPortionText(resource: Resource, selection: ListSelection, portion: Portion): string {
  const { records, chosen } = lookedAt(resource, selection, portion)
  return `select c.found, e."orderedBy"::text as "orderedBy", e.id
    from ${asked}
   cross join (
      select count(*) filter (where ${chosen})::integer as found
        from (${records('t.*', `limit ${portion.looks}`)}) t) c
    left join (${records('t.created_at as "orderedBy", t.id', `offset ${portion.looks - 1} limit 1`)}) e on true`
}

/** The text that counts all chosen records: `found`. $1 organization, $2 application. */
export function countAllText(
  resource: Resource,
  selection: ListSelection,
  few: ListCondition | null,
  bind: Bind,
): string {
  const { records, chosen } = foundIn(resource, selection, few, bind)
  return `select c.found
    from ${asked}, (select count(*)::integer as found from (${records('t.*', '')}) t where ${chosen}) c`
}

/** The most values that a facet has. */
const mostValues = 100

/** How a facet finds the values of a record `t`: one value, or a list of them. */
export interface FacetValue {
  readonly sql: string
  readonly isList: boolean
}

/**
 * The text that counts the chosen records by a value: `value`, null for those without one, and its `count`, the most frequent first. The records
 * are those that `few` finds, otherwise the newest `looks`: `looked` is their number, and `among` that of the chosen ones. If these are none,
 * one row has neither value nor count. $1 organization, $2 application.
 */
export function facetText(
  resource: Resource,
  selection: ListSelection,
  few: ListCondition | null,
  { value, looks, bind }: { readonly value: FacetValue; readonly looks: number; readonly bind: Bind },
): string {
  const { records, chosen } =
    few === null ? lookedAt(resource, selection, { after: null, looks, bind }) : foundIn(resource, selection, few, bind)
  const each = value.isList ? 'unnest(c.value)' : '(select c.value)'
  return `with looked as materialized (
      select (${chosen}) is true as "isChosen", ${value.sql} as value
        from (${records('t.*', few === null ? `limit ${looks}` : '')}) t)
    select n.looked, n.among, g.value, g.count
      from ${asked}
     cross join (
        select count(*)::integer as looked, count(*) filter (where l."isChosen")::integer as among from looked l) n
      left join (
        select v.one::text as value, count(*)::integer as count
          from looked c left join lateral ${each} as v(one) on true
         where c."isChosen"
         group by v.one
         order by count(*) desc, v.one limit ${mostValues}) g on true
     order by g.count desc nulls last, g.value`
}
