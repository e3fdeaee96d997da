import type { RecordColumn } from '../../kernel/columns/index.ts'

const needsQuotes = /[",\r\n]/u
/** What makes a spreadsheet take a text for a formula. */
const beginsFormula = /^[=+\-@\t\r]/u

/** Makes the lines of a file of comma-separated values (RFC 4180). */
export class Csv {
  readonly #columns: readonly RecordColumn[]
  readonly #isSafe: boolean

  /** `isSafe`: an apostrophe stands before texts that a spreadsheet would take for formulas. Such a file does not import again. */
  constructor(columns: readonly RecordColumn[], isSafe: boolean) {
    this.#columns = columns
    this.#isSafe = isSafe
  }

  header(): string {
    return `${this.#columns.map(({ key }) => quoted(key)).join(',')}\r\n`
  }

  line(record: Readonly<Record<string, unknown>>): string {
    let line = ''
    let separator = ''
    for (const column of this.#columns) {
      const text = column.text(record)
      line += separator + quoted(this.#isSafe && beginsFormula.test(text) ? `'${text}` : text)
      separator = ','
    }
    return `${line}\r\n`
  }
}

function quoted(text: string): string {
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
