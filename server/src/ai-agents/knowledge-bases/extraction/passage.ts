import type { TableRow } from './block.ts'

/** A part of a file that is found as a whole, and where it stands. */
export interface Passage {
  readonly text: string
  /** The headings above it, the outermost first; empty where the file has none. */
  readonly heading: string
  /** From 1; null where a file has no pages. */
  readonly page: number | null
  /** null: it is no row of a table. */
  readonly row: TableRow | null
}
