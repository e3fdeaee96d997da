import { ReaderGone, UsageError } from '../failure.ts'
import { isObject, valueAt } from '../json.ts'
import { csvRow } from './csv.ts'
import { type Names, namesOf, unknownField } from './fields.rules.ts'
import { inOneLine, jsonLine } from './printable.ts'
import { headingOf, type Layout, layoutFor, rowOf, sheetOf } from './table.ts'

export const formats = ['table', 'json', 'csv'] as const

export type Format = (typeof formats)[number]

export interface OutputSettings {
  readonly format: Format
  /** The members to show, by paths such as `contactData.emails.0.value`. All of them unless given. */
  readonly fields?: readonly string[]
  /** The members that the records can have, if that is known before they are there. */
  readonly names?: Names
  /** Whether an apostrophe precedes what a spreadsheet would compute. */
  readonly csvSafe: boolean
  /** Whether standard output is a terminal: CSV is shown there without control characters. */
  readonly isTerminal: boolean
  readonly columns: number
  /** Resolves to false if nobody reads the output any more. */
  readonly print: (text: string) => Promise<boolean>
}

/** What a command prints: records, in one format, one after another. It keeps none of them. */
export class Output {
  readonly #settings: OutputSettings
  #layout: Layout | undefined
  #csvColumns: readonly string[] | undefined
  #hasKnownFields: boolean

  /** Throws UsageError if no record can have one of the fields. If that is not known, the first print throws it. */
  constructor(settings: OutputSettings) {
    this.#settings = settings
    const { fields = [], names } = settings
    const unknown = names && unknownField(fields, names)
    if (unknown !== undefined) throw new UsageError(unknown)
    this.#hasKnownFields = fields.length === 0 || names !== undefined
  }

  /** Prints one record: a line for each member, one line of JSON, or a row below the names of the columns. */
  async record(record: unknown): Promise<void> {
    if (this.#settings.format !== 'table' || !isObject(record)) return this.records([record])
    this.#checkFields([record])
    const { fields } = this.#settings
    const shown = fields === undefined ? record : Object.fromEntries(fields.map(path => [path, valueAt(record, path)]))
    await this.#settings.print(`${sheetOf(shown)}\n`)
  }

  /** Prints a few records with all that they have: in a table, the members of each below one another. */
  async sheets(records: readonly unknown[]): Promise<void> {
    if (this.#settings.format !== 'table') return this.records(records)
    for (const [index, record] of records.entries()) {
      if (index > 0) await this.#settings.print('\n')
      await this.record(record)
    }
  }

  /** Prints what became of several records. */
  async records(records: readonly unknown[]): Promise<void> {
    await this.#print(records)
  }

  /** Prints a part of a list: the columns are those of the first one. Throws ReaderGone if nobody reads any more, so that the list ends. */
  async page(records: readonly unknown[]): Promise<void> {
    if (!(await this.#print(records))) throw new ReaderGone()
  }

  #checkFields(records: readonly unknown[]): void {
    const names = this.#hasKnownFields ? undefined : namesOf(records)
    if (names === undefined) return
    const unknown = unknownField(this.#settings.fields ?? [], names)
    if (unknown !== undefined) throw new UsageError(`the answer is not shown: ${unknown}`)
    this.#hasKnownFields = true
  }

  async #print(records: readonly unknown[]): Promise<boolean> {
    this.#checkFields(records)
    const lines = records.map(record => this.#line(record, records))
    return lines.length === 0 || this.#settings.print(lines.join(''))
  }

  #line(record: unknown, page: readonly unknown[]): string {
    const { format } = this.#settings
    if (format === 'json') return `${jsonLine(this.#picked(record))}\n`
    return format === 'csv' ? this.#csvLine(record, page) : this.#tableLine(record, page)
  }

  #picked(record: unknown): unknown {
    const { fields } = this.#settings
    if (fields === undefined) return record
    return Object.fromEntries(fields.map(path => [path, valueAt(record, path) ?? null]))
  }

  #tableLine(record: unknown, page: readonly unknown[]): string {
    if (!isObject(record)) return `${inOneLine(String(record))}\n`
    const { columns, fields } = this.#settings
    if (this.#layout !== undefined) return `${rowOf(record, this.#layout)}\n`
    this.#layout = layoutFor(page, columns, fields)
    return `${headingOf(this.#layout)}\n${rowOf(record, this.#layout)}\n`
  }

  #csvLine(record: unknown, page: readonly unknown[]): string {
    if (this.#csvColumns !== undefined) return this.#csvCells(record, this.#csvColumns)
    const all = page.flatMap(each => (isObject(each) ? Object.keys(each) : []))
    const columns = this.#settings.fields ?? [...new Set(all)]
    this.#csvColumns = columns
    return this.#forTerminal(csvRow(columns, this.#settings.csvSafe)) + this.#csvCells(record, columns)
  }

  #csvCells(record: unknown, columns: readonly string[]): string {
    const values = columns.map(path => valueAt(record, path))
    return this.#forTerminal(csvRow(values, this.#settings.csvSafe))
  }

  #forTerminal(row: string): string {
    return this.#settings.isTerminal ? `${inOneLine(row).trimEnd()}\n` : row
  }
}
