import type { Field } from '../field.ts'
import type { JsonSchema } from '../json.ts'

interface CountedOptions {
  readonly schema: JsonSchema
  /**
   * SQL of the value, where `t` is the row of the record and $1 its organization. Without it the value has a column, which is updated by
   * the statement that changes the counted records.
   */
  readonly select?: string
  /** The PostgreSQL type of the column, without `select`. */
  readonly column?: string
}

/**
 * A value that is derived from other records, such as their number. It is read with the record, but a new value is not a change of the
 * record, so neither `updatedAt` nor the audit log reflects it.
 */
export function counted<Value>(initial: Value, { schema, select, column }: CountedOptions): Field<Value> {
  return {
    output: { '': schema },
    initial,
    isCounted: true,
    ...(select === undefined ? {} : { select }),
    ...(column === undefined ? {} : { column }),
  }
}
