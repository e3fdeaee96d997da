import type { RecordColumn } from '../../kernel/columns/index.ts'
import { csvCell, safeCsvCell } from '../../kernel/documents/index.ts'

/** Makes the lines of a file of comma-separated values (RFC 4180). */
export class Csv {
  readonly #columns: readonly RecordColumn[]
  readonly #cell: (text: string) => string

  /** `isSafe`: an apostrophe stands before texts that a spreadsheet would take for formulas. Such a file does not import again. */
  constructor(columns: readonly RecordColumn[], isSafe: boolean) {
    this.#columns = columns
    this.#cell = isSafe ? safeCsvCell : csvCell
  }

  header(): string {
    return `${this.#columns.map(({ key }) => csvCell(key)).join(',')}\r\n`
  }

  line(record: Readonly<Record<string, unknown>>): string {
    let line = ''
    let separator = ''
    for (const column of this.#columns) {
      line += separator + this.#cell(column.text(record))
      separator = ','
    }
    return `${line}\r\n`
  }
}
