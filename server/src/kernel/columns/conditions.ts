import type { RecordFilter } from '../record/resource.ts'
import type { FilterContext } from '../schema/index.ts'

/** A condition on a record: it has one of these values of a filter. */
export interface Condition {
  readonly filter: RecordFilter
  readonly values: readonly unknown[]
}

/** SQL of a condition on the record `t`; $1 is the organization. */
export function conditionText({ filter, values }: Condition, context: FilterContext): string {
  return filter.condition(filter.column, values, context)
}
