/** A table that the write path saves to. `organization_id` is understood and not listed. */
export interface Table {
  readonly name: string
  /** PostgreSQL type of each column. */
  readonly columns: Readonly<Record<string, string>>
  readonly columnNames: readonly string[]
  /** Columns that, with organization_id, identify a row. */
  readonly key: readonly string[]
  /** A column of large texts, at most one row a statement: sent by itself instead of inside JSON. */
  readonly large?: string
  /** Whether its rows are the organizations themselves, whose `organization_id` is never written. */
  readonly isTenant?: boolean
}

export function defineTable(name: string, key: readonly string[], columns: Readonly<Record<string, string>>): Table {
  return { name, key, columns, columnNames: Object.keys(columns) }
}

/** One row to write. An update names the key and the columns that change, no others. */
export interface RowChange {
  readonly table: Table
  readonly operation: 'insert' | 'update' | 'delete'
  readonly row: Readonly<Record<string, unknown>>
}
