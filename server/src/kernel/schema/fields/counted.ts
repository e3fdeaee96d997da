import type { Field } from '../field.ts'
import type { JsonSchema } from '../json.ts'

interface CountedOptions {
  readonly schema: JsonSchema
  /**
   * SQL of the value, where `t` is the row of the record and $1 its organization. Without it the value has a column, which
   * the statement that changes the counted records keeps.
   */
  readonly select?: string
  /** The PostgreSQL type of the column, without `select`. */
  readonly column?: string
}

/**
 * What a record tells of others, such as how many there are: read with it, and never a change of it, so neither its
 * `updatedAt` nor the audit log follows.
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
