/** A row of a file: its cells by the names of their columns. */
export interface SourceRow {
  /** The line of the file on which it begins, from 1. */
  readonly line: number
  readonly cells: ReadonlyMap<string, unknown>
  /** Cells behind the last column. */
  readonly surplus: readonly unknown[]
  /** Why it cannot be read; null if it can. */
  readonly problem: string | null
}

/** What a file has at most: a longer row cannot be one that the server takes. */
export const sourceLimits = { rowCharacters: 1_000_000, columns: 1_000 } as const

/** A file of rows. */
export interface Source {
  readonly file: string
  readonly format: 'csv' | 'ndjson'
  /** What separates the cells of CSV. */
  readonly delimiter: string
}
