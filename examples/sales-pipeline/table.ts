import { parse } from 'csv-parse/sync'

/** One line of a CSV file with its position, so that every error names its row. */
export class Row {
  readonly #place: string
  readonly #cells: Record<string, string>

  /** @param number the line, as spreadsheets count: the header is row 1. */
  constructor(file: string, number: number, cells: Record<string, string>) {
    this.#place = `${file} row ${number}`
    this.#cells = cells
  }

  /** Blank cells and the word `null` mean that the value is unknown. */
  optional(column: string): string | null {
    const cell = this.#cells[column] ?? this.refuse(`there is no column ${column}`)
    const text = cell.trim()
    return text === '' || text.toLowerCase() === 'null' ? null : text
  }

  required(column: string): string {
    return this.optional(column) ?? this.refuse(`${column} is missing`)
  }

  refuse(reason: string): never {
    throw new Error(`${this.#place}: ${reason}`)
  }
}

/** Reads the rows below the header. Throws an error that names the file, and the line if there is one, for what is no table. */
export function readTable(file: string, text: string): Row[] {
  const rows: Row[] = []
  const add = (cells: Record<string, string>, { lines }: { lines: number }) =>
    void rows.push(new Row(file, lines, cells))
  try {
    parse(text, {
      bom: true,
      columns: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      on_record: add,
    })
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : 'is not CSV'}`, { cause: error })
  }
  return rows
}

/** The values of the column that identifies a row: each is present and unique. */
export function readNames(rows: readonly Row[], column: string): string[] {
  const names = new Set<string>()
  for (const row of rows) {
    const name = row.required(column)
    if (names.has(name)) row.refuse(`${column} ${name} occurs twice`)
    names.add(name)
  }
  return [...names]
}
