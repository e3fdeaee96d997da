import type { Request } from '../operation.ts'
import { toRecord } from '../record/codec.ts'
import { recordStatements, visibleIn } from '../record/record-statements.ts'
import type { RecordState, Resource } from '../record/resource.ts'
import type { JsonObject } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { type Bind, binding } from '../sql/index.ts'
import type { ListOrder, ListSelection } from './list-selection.ts'
import type { ListedRecords } from './listed-records.ts'

interface Reading {
  readonly resource: Resource
  readonly request: Request
  readonly services: Pick<Services, 'database'>
  readonly selection: ListSelection
  /** The position after which the page begins; null for the first page. */
  readonly after: JsonObject | null
  readonly most: number
}

/** Fills a page with the records of a selection. Returns where the next page begins, and whether this one ended before it was full. */
export async function fillSelected(
  page: ListedRecords<RecordState>,
  { resource, request, services, selection: { conditions, order }, after, most }: Reading,
): Promise<{ readonly next: JsonObject | null; readonly isTruncated: boolean }> {
  const { caller, reader } = request
  const values: unknown[] = [caller.organization.id, caller.keysOf]
  const bind = binding(values)
  const where = [
    ...visibleIn(resource),
    ...conditions.map(condition => `(${condition.text(bind)})`),
    ...(after === null ? [] : [behind(order, after, bind)]),
  ]
  const direction = order.descends ? 'desc' : 'asc'
  const name = `selection_of_${resource.kind}`
  const text = `-- name: ${name}
    select ${recordStatements(resource).columns}, (${order.value})::text as "listedBy" from ${resource.table.name} t
     where ${where.join('\n       and ')} and $2::uuid is not null
     order by ${order.value} ${direction} nulls last, t.id ${direction} limit ${bind(most)}::integer`
  const positions: JsonObject[] = []
  await services.database.search({ name, text }, values, reader, (row, bytes) => {
    positions.push({ value: row.listedBy, id: row.id })
    page.add(toRecord(row), bytes)
  })
  return { next: page.next === null ? null : (positions[most - 2] ?? null), isTruncated: false }
}

/** The records behind a position, of which those without a value are last. */
function behind({ value, type, descends }: ListOrder, { value: reached, id }: JsonObject, bind: Bind): string {
  const beyond = descends ? '<' : '>'
  const place = `t.id ${beyond} ${bind(id)}::uuid`
  if (reached === null) return `(${value} is null and ${place})`
  const known = `${bind(reached)}::text::${type}`
  return `(${value} ${beyond} ${known} or (${value} = ${known} and ${place}) or ${value} is null)`
}
