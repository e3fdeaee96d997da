/** A table that the write path writes to. Its column `organization_id` is not listed. */
export interface Table {
  readonly name: string
  /** PostgreSQL type of each column. */
  readonly columns: Readonly<Record<string, string>>
  readonly columnNames: readonly string[]
  /** The columns that identify a row together with `organization_id`. */
  readonly key: readonly string[]
  /** A column of large texts, which every inserted row has, and no update changes. They are sent separately from the JSON of the rows. */
  readonly large?: string
  /**
   * Columns that one write mostly fills alike in all rows that it inserts. If all these rows of a save agree in them, their values are sent
   * once. They hold no objects.
   */
  readonly alike?: readonly string[]
  /** Whether a row may be missing when it is deleted, because a server of an older release does not write the table. */
  readonly mayLackRows?: boolean
  /** Whether its rows are the organizations themselves, whose `organization_id` PostgreSQL computes from the id. */
  readonly isTenant: boolean
}

/** The column with the id of the organization that owns a row. */
export function tenantColumn({ isTenant }: Table): string {
  return isTenant ? 'id' : 'organization_id'
}

/** Declares a table for the save statement: its key, and the PostgreSQL type of each column, both without `organization_id`. */
export function defineTable(name: string, key: readonly string[], columns: Readonly<Record<string, string>>): Table {
  return { name, key, columns, columnNames: Object.keys(columns), isTenant: name === 'organizations' }
}

/** One row to write. An update names the key and only the columns that change. */
export interface RowChange {
  readonly table: Table
  readonly operation: 'insert' | 'update' | 'delete'
  readonly row: Readonly<Record<string, unknown>>
}
