import type { FieldFilters, Fields } from '../schema/index.ts'
import { columnOf } from './codec.ts'
import { headColumn, headSelections } from './record-head.ts'
import type { RecordFilter, RecordForm, RecordOrder } from './resource.ts'

/** The filters of a kind by their parameters: those of its fields, of links that are no fields, and of times that every record has. */
export function recordFilters(
  fields: Fields,
  linked: FieldFilters,
  form: RecordForm,
): ReadonlyMap<string, RecordFilter> {
  return new Map([
    ...Object.entries(fields).flatMap(([member, field]) =>
      named(member, field.filters ?? {}, `t.${columnOf(member, field)}`),
    ),
    ...named('', linked, ''),
    ...Object.entries(headSelections).flatMap(([member, { filters = {} }]) =>
      named(member, filters, `t.${headColumn(form, member)}`),
    ),
  ])
}

function named(member: string, filters: FieldFilters, column: string): [string, RecordFilter][] {
  return Object.entries(filters).map(([name, filter]) => [name === '' ? member : name, { ...filter, column, member }])
}

/** The orders of a kind by their words in `sort`. */
export function recordOrders(fields: Fields, form: RecordForm): ReadonlyMap<string, RecordOrder> {
  const head = Object.entries(headSelections).map(
    ([member, selection]) => [member, selection, `t.${headColumn(form, member)}`] as const,
  )
  const own = Object.entries(fields).map(([member, field]) => [member, field, `t.${columnOf(member, field)}`] as const)
  return new Map(
    [...head, ...own].flatMap(([member, { order }, column]): [string, RecordOrder][] => {
      if (order === undefined) return []
      const { as = member, value, ...own } = order
      return [[as, { ...own, member, value: value?.(column) ?? column }]]
    }),
  )
}
