import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { UsageError } from '../failure.ts'
import { shortened } from './field-path.rules.ts'
import { readText } from './read-text.ts'
import { type Source, type SourceRow, sourceLimits } from './source-row.ts'

/**
 * The rows of a CSV file whose first row has the names of the columns. Cells that are missing at the end of a row are empty. Holds a few
 * rows. Throws UsageError, with the line, if it cannot be divided into rows, two columns have one name, or a column with values has none.
 */
export async function* readCsv({ file, delimiter }: Source): AsyncGenerator<SourceRow, void, undefined> {
  let columns: readonly string[] | null = null
  for await (const { line, cells } of recordsOf(file, delimiter)) {
    if (columns === null) {
      columns = columnsOf(file, cells)
      continue
    }
    const surplus = cells.slice(columns.length)
    const problem =
      surplus.length === 0 ? null : `the row has ${cells.length} cells, and there are ${columns.length} columns`
    const named = columns.map((column, index) => [column, cells[index] ?? ''] as const)
    for (const [index, [column, cell]] of named.entries())
      if (column === '' && cell !== '')
        throw new UsageError(
          `${file}, line ${line}: column ${index + 1} has "${shortened(cell)}", but no name in the first row`,
        )
    yield { line, cells: new Map(named.filter(([column]) => column !== '')), surplus, problem }
  }
  if (columns === null) throw new UsageError(`${file} is empty: its first row has the names of the columns`)
}

function columnsOf(file: string, names: readonly string[]): string[] {
  const columns = names.map(name => name.trim())
  if (columns.length > sourceLimits.columns)
    throw new UsageError(`${file} has more than ${sourceLimits.columns} columns`)
  const repeated = columns.find((name, index) => name !== '' && columns.indexOf(name) !== index)
  if (repeated !== undefined) throw new UsageError(`${file} has two columns "${repeated}"`)
  return columns
}

interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
}

async function* recordsOf(file: string, delimiter: string): AsyncGenerator<CsvRecord, void, undefined> {
  const lines = new LineCount()
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    // The line goes before the cells, because rows that were parsed wait for those that are read.
    on_record: (cells: string[], { lines: counted }) => [String(lines.begin(cells, counted)), ...cells],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: sourceLimits.rowCharacters,
  })
  const text = Readable.from(readText(file))
  text.on('error', error => parser.destroy(error))
  try {
    for await (const parsed of text.pipe(parser)) {
      if (!Array.isArray(parsed)) throw new TypeError('a record is a list of cells')
      const [line, ...cells] = parsed.map(String)
      yield { line: Number(line), cells }
    }
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(sentenceOf(file, error, lines.last)) : error
  } finally {
    text.destroy()
  }
}

/** The lines of rows. The parser takes a break of two characters within quotes for two lines. */
class LineCount {
  /** The last line of the last row. */
  last = 0
  #surplus = 0

  /** The first line of a row that ends on this line, as the parser counts. */
  begin(cells: readonly string[], counted: number): number {
    const found = (pattern: RegExp) => cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0)
    const breaks = found(/\r\n|\n|\r/gu)
    this.#surplus += found(/\r\n/gu)
    this.last = counted - this.#surplus
    return this.last - breaks
  }
}

const sentences = new Map<string, string>([
  ['CSV_QUOTE_NOT_CLOSED', 'a quote is not closed'],
  ['CSV_INVALID_CLOSING_QUOTE', 'text follows the quote that closes a cell'],
  ['INVALID_OPENING_QUOTE', 'a quote stands within a cell that does not begin with one'],
  ['CSV_MAX_RECORD_SIZE', `a row has more than ${sourceLimits.rowCharacters} characters`],
])

function sentenceOf(file: string, { code, message }: CsvError, line: number): string {
  return `${file}, in the row after line ${line}: ${sentences.get(code) ?? message}`
}
