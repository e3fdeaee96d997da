import { columnOf, type Resource, recordStatements, visibleIn } from '../record/index.ts'
import type { Bind, Statement } from '../sql/index.ts'
import type { ListCondition, ListOrder, ListSelection } from './list-selection.ts'

/** A position in an order: the value and the id of a record. */
export interface ListPosition {
  readonly value: string | null
  readonly id: string
}

/** Where a walk goes on, and how many records it looks at. */
interface Walk {
  readonly after: ListPosition | null
  readonly looks: number
  readonly bind: Bind
}

/**
 * The text of a walk: it looks at records in the index of the order from the position on, at most `looks` of them, and selects those that
 * meet the conditions. If these do not fill the page, the last row is the last record that was looked at; in the same statement, so that what
 * is written meanwhile changes neither alone. `isEnd` is true for that row, and `orderedBy` is the value of the order. $1 organization, $2 application, $3 most rows.
 */
export function walkText(resource: Resource, selection: ListSelection, walk: Walk): string {
  const { order } = selection
  if (order.isLastChange === true) return lastChangesText(resource, selection, walk)
  const { columns } = recordStatements(resource)
  const { name } = resource.table
  const conditionsOf = [...listedIn(resource), ...rangesOf(selection).map(each => each.text(walk.bind))]
  const walked = walkedIn(selection, walk, { from: name, conditions: conditionsOf })
  return `select t.* from (
      (select ${columns}, (${order.value})::text as "orderedBy", false as "isEnd"
         from (${walked('t.*', `limit ${walk.looks}`)}) t
        where ${all(othersOf(selection), walk.bind)}
        limit $3)
      union all
      select ${columns}, (${order.value})::text, true
        from ${name} t
       where t.organization_id = $1 and t.id = (${walked('t.id', `offset ${walk.looks - 1} limit 1`)})) t
    limit $3`
}

/**
 * The same along the table of last changes. It passes by a row whose record was changed again by a server of an older release, or removed.
 * Where the table does not have every record yet, there is one row, with `isEnd` and no position.
 */
function lastChangesText(resource: Resource, selection: ListSelection, walk: Walk): string {
  const { kind, table } = resource
  const { value } = selection.order
  const { columns, visible } = recordStatements(resource)
  const from = `(select l.organization_id, l.updated_at, l.resource_id as id from last_changes l where l.kind = '${kind}')`
  const feed = 'from organization_feed f where f.organization_id = $1 and f.last_changes_seq'
  const conditions = [
    't.organization_id = $1',
    `exists (select ${feed} = f.seq)`,
    ...rangesOf(selection).map(each => each.text(walk.bind)),
  ]
  const walked = walkedIn(selection, walk, { from, conditions })
  const end = `offset ${walk.looks - 1} limit 1`
  return `select t.* from (
      (select ${columns}, (${value})::text as "orderedBy", false as "isEnd", null::uuid as "endId"
         from (${walked('t.*', `limit ${walk.looks}`)}) l
        cross join lateral (
          select r.* from ${table.name} r where r.organization_id = $1 and r.id = l.id offset 0) t
        where t.updated_at = l.updated_at and ${visible} and ${all(othersOf(selection), walk.bind)}
        limit $3)
      union all
      select ${columns}, l.updated_at::text, true, l.id
        from (${walked('t.*', end)}) l left join ${table.name} t on t.organization_id = $1 and t.id = l.id
      union all
      select ${columns}, null, true, null
        from (select f.organization_id ${feed} <> f.seq) f
        left join ${table.name} t on t.organization_id = f.organization_id and t.id is null) t
    limit $3`
}

/** The records that a walk in the order of `createdAt` looks at. */
export interface LookedAt {
  /** Makes SQL of these records `t`, with what is selected of each and how many of them. */
  readonly records: (selected: string, end: string) => string
  /** SQL of the conditions that the selected ones meet. */
  readonly chosen: string
}

/** What a walk looks at, for a statement that shows none of the records but counts them. */
export function lookedAt(resource: Resource, selection: ListSelection, walk: Walk): LookedAt {
  const conditions = [...listedIn(resource), ...rangesOf(selection).map(each => each.text(walk.bind))]
  const records = walkedIn(selection, walk, { from: resource.table.name, conditions })
  return { records, chosen: all(othersOf(selection), walk.bind) }
}

/** The same for the records that an index finds by one condition; without one, for all that the kind has. */
export function foundIn(
  resource: Resource,
  { conditions }: ListSelection,
  found: ListCondition | null,
  bind: Bind,
): LookedAt {
  const chosen = all(
    conditions.filter(each => each !== found),
    bind,
  )
  if (found !== null) return { records: selected => foundBy(resource, found, selected, bind), chosen }
  const { name } = resource.table
  return { records: selected => `select ${selected} from ${name} t where ${listedIn(resource).join(' and ')}`, chosen }
}

/** The conditions that limit the value of the order, and the others. */
const rangesOf = ({ conditions, order }: ListSelection) => conditions.filter(({ limits }) => limits === order.value)
const othersOf = ({ conditions, order }: ListSelection) => conditions.filter(({ limits }) => limits !== order.value)

/** Makes SQL of the rows that a walk looks at. */
function walkedIn(
  selection: ListSelection,
  { after, looks, bind }: Walk,
  { from, conditions }: { readonly from: string; readonly conditions: readonly string[] },
): (selected: string, end: string) => string {
  const { order } = selection
  const segments = segmentsOf(order, after, bind, rangesOf(selection).length > 0)
  return (selected, end) => {
    const texts = segments.map(
      wanted => `
        (select ${selected} from ${from} t
          where ${[...conditions, ...wanted].join(' and ')}
          order by ${order.value} ${direction(order)}, t.id ${direction(order)} limit ${looks})`,
    )
    return `select t.* from (${texts.join('\n        union all')}) t ${end}`
  }
}

/**
 * The text of a page from sorted records: $1 organization, $2 application, $3 most rows. `found` is the condition by which an index finds
 * them; without it, PostgreSQL chooses how.
 */
export function gatherText(
  resource: Resource,
  { conditions, order }: ListSelection,
  {
    after,
    found,
    bind,
  }: { readonly after: ListPosition | null; readonly found: ListCondition | null; readonly bind: Bind },
): string {
  const others = conditions.filter(each => each !== found)
  const by = `(${order.value}) is null, ${order.value} ${direction(order)}, t.id ${direction(order)}`
  const [from, visible] =
    found === null
      ? [resource.table.name, visibleIn(resource)]
      : [`(${foundBy(resource, found, 't.*', bind)})`, ['true']]
  return `select ${recordStatements(resource).columns}, (${order.value})::text as "orderedBy", false as "isEnd"
    from (
      select t.* from ${from} t
       where ${[...visible, all(others, bind), behind(order, after, bind)].join(' and ')}
       order by ${by} limit $3) t
   order by ${by}`
}

/** The text that asks PostgreSQL how many records it expects to meet a condition: $1 organization, $2 application. */
export function estimateText(resource: Resource, condition: ListCondition, bind: Bind): string {
  return `explain (format json) select from (values ($2::uuid)) as asked(by), (${foundBy(resource, condition, 't.id', bind)}) t`
}

/** The text that counts the records that meet a condition, up to a number: $1 organization, $2 application. */
export function countText(resource: Resource, condition: ListCondition, most: number, bind: Bind): string {
  return `select count(*)::integer as found
    from (values ($2::uuid)) as asked(by), (select from (${foundBy(resource, condition, 't.id', bind)}) t limit ${most}) t`
}

/** The ways to read a page of a selection, to count it and its values, for the names of their statements. */
export type SelectionWay = 'walk' | 'gather' | 'sort' | 'estimate' | 'count' | 'portion' | 'tally' | 'facet' | 'board'

/** It is planned each time, because there are more selections than could be kept prepared. */
export function selectionStatement({ kind }: Resource, way: SelectionWay, text: string): Statement {
  const name = `${way}_${kind}`
  return { name, text: `-- name: ${name}\n${text}` }
}

/** `offset 0`: the planner expects all of these records to be read, and so finds them by their own index. */
function foundBy(resource: Resource, condition: ListCondition, columns: string, bind: Bind): string {
  const { name } = resource.table
  return `select ${columns} from ${name} t where ${[...listedIn(resource), condition.text(bind)].join(' and ')} offset 0`
}

/**
 * The conditions that every walk has, as the indexes of orders have them: an index with a condition that no look-up by key has is never taken
 * for the key (ADR 0006).
 */
function listedIn(resource: Resource): string[] {
  const title = resource.fields[resource.hit.title]
  const named = title?.column === undefined ? [] : [`t.${columnOf(resource.hit.title, title)} <> ''`]
  return [...visibleIn(resource), ...named]
}

/**
 * The conditions of each part of an order behind a position: the records with a value, and behind them those without, unless a range of the
 * value leaves these out.
 */
function segmentsOf(order: ListOrder, after: ListPosition | null, bind: Bind, isLimited: boolean): string[][] {
  const { value, isNullable } = order
  const isNull = `${value} is null`
  if (after !== null && after.value === null) return [[isNull, `t.id ${comparison(order)} ${bind(after.id)}::uuid`]]
  const filled = after === null ? [] : [follows(order, after, bind)]
  if (!isNullable) return [filled]
  return [[`${value} is not null`, ...filled], ...(isLimited ? [] : [[isNull]])]
}

/** SQL condition: the record comes behind the position. */
function behind(order: ListOrder, after: ListPosition | null, bind: Bind): string {
  const parts = segmentsOf(order, after, bind, false).map(wanted => `(${['true', ...wanted].join(' and ')})`)
  return `(${parts.join(' or ')})`
}

function follows(order: ListOrder, { value, id }: ListPosition, bind: Bind): string {
  return `(${order.value}, t.id) ${comparison(order)} (${bind(value)}::${order.type}, ${bind(id)}::uuid)`
}

const comparison = ({ descends }: ListOrder) => (descends ? '<' : '>')
const direction = ({ descends }: ListOrder) => (descends ? 'desc' : 'asc')

function all(conditions: readonly ListCondition[], bind: Bind): string {
  return conditions.length === 0 ? 'true' : `(${conditions.map(each => each.text(bind)).join(' and ')})`
}
