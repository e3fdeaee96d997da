import { columnOf } from '../record/codec.ts'
import { headColumn } from '../record/record-head.ts'
import type { Resource } from '../record/resource.ts'

/** A condition on a member of a record. Times are compared as times; a list overlaps if it has one of the values. */
export interface Condition {
  /** A field with a column, or `createdAt` or `updatedAt`. */
  readonly member: string
  readonly is: 'equal' | 'from' | 'before' | 'overlapping'
  readonly value: unknown
}

const operators = { equal: '=', from: '>=', before: '<', overlapping: '&&' } as const

/** SQL of a condition on the record `t`; `bind` returns the parameter of a value. */
export function conditionText(resource: Resource, { member, is, value }: Condition, bind: (value: unknown) => string) {
  const field = resource.fields[member]
  const column = field === undefined ? headColumn(resource, member) : columnOf(member, field)
  const type = field?.column ?? 'timestamptz'
  return `t.${column} ${operators[is]} ${bind(value)}::${type}`
}
