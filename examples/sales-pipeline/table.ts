import { parse } from 'csv-parse/sync'

/** One line of a CSV file with its position, so that every error names its row. */
export class Row<Column extends string> {
  /** As spreadsheets count: the header is row 1. */
  readonly number: number
  readonly #file: string
  readonly #cells: Map<string, string>

  constructor(file: string, number: number, cells: Map<string, string>) {
    this.#file = file
    this.number = number
    this.#cells = cells
  }

  /** Blank cells and the word `null` mean that the value is unknown. */
  optional(column: Column): string | null {
    const text = (this.#cells.get(column) ?? '').trim()
    return text === '' || text.toLowerCase() === 'null' ? null : text
  }

  required(column: Column): string {
    return this.optional(column) ?? this.refuse(`${column} is missing`)
  }

  refuse(reason: string): never {
    throw new Error(`${this.#file} row ${this.number}: ${reason}`)
  }
}

export function readTable<Column extends string>(file: string, text: string, columns: readonly Column[]) {
  const [header = [], ...records] = parseRecords(file, text)
  const missing = columns.filter(column => !header.includes(column))
  if (missing.length > 0) throw new Error(`${file} lacks the columns ${missing.join(', ')}`)

  const rows: Row<Column>[] = []
  for (const [index, record] of records.entries()) {
    const isBlank = record.every(cell => cell.trim() === '')
    if (isBlank) continue
    const row = new Row<Column>(file, index + 2, new Map(header.map((column, at) => [column, record[at] ?? ''])))
    if (record.length !== header.length) row.refuse(`${record.length} cells where the header has ${header.length}`)
    rows.push(row)
  }
  return rows
}

/** The values of the column that identifies a row: each is present and unique. */
export function readNames<Column extends string>(rows: Row<Column>[], column: Column): string[] {
  const names = new Set<string>()
  for (const row of rows) {
    const name = row.required(column)
    if (names.has(name)) row.refuse(`${column} ${name} occurs twice`)
    names.add(name)
  }
  return [...names]
}

function parseRecords(file: string, text: string): string[][] {
  try {
    // Records of a wrong length pass here, because the check above names their row.
    return parse(text, { bom: true, relax_column_count: true })
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : 'is not CSV'}`, { cause: error })
  }
}
