import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { UsageError } from '../failure.ts'
import { isObject } from '../json.ts'
import { readText } from './read-text.ts'
import { type Source, type SourceRow, sourceLimits } from './source-row.ts'

/**
 * The rows of a CSV file whose first row has the names of the columns. Cells that are missing at the end of a row are empty. Holds a few
 * rows. Throws UsageError, with the line, if it cannot be divided into rows, or two columns have one name.
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
    yield { line, cells: new Map(columns.map((column, index) => [column, cells[index] ?? ''])), surplus, problem }
  }
  if (columns === null) throw new UsageError(`${file} is empty: its first row has the names of the columns`)
}

function columnsOf(file: string, names: readonly string[]): string[] {
  const columns = names.map(name => name.trim())
  if (columns.length > sourceLimits.columns)
    throw new UsageError(`${file} has more than ${sourceLimits.columns} columns`)
  const repeated = columns.find((name, index) => columns.indexOf(name) !== index)
  if (repeated !== undefined) throw new UsageError(`${file} has two columns "${repeated}"`)
  return columns
}

interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
}

async function* recordsOf(file: string, delimiter: string): AsyncGenerator<CsvRecord, void, undefined> {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: sourceLimits.rowCharacters,
  })
  const text = Readable.from(readText(file))
  text.on('error', error => parser.destroy(error))
  try {
    for await (const parsed of text.pipe(parser)) {
      const { record, info } = Object(parsed)
      if (!Array.isArray(record) || !isObject(info)) throw new TypeError('a record has no place')
      const cells = record.map(String)
      const breaks = cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/gu)?.length ?? 0), 0)
      yield { line: Number(info['lines']) - breaks, cells }
    }
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(sentenceOf(file, error, parser.info.lines)) : error
  } finally {
    text.destroy()
  }
}

const sentences = new Map<string, string>([
  ['CSV_QUOTE_NOT_CLOSED', 'a quote is not closed'],
  ['CSV_INVALID_CLOSING_QUOTE', 'text follows the quote that closes a cell'],
  ['INVALID_OPENING_QUOTE', 'a quote stands within a cell that does not begin with one'],
  ['CSV_MAX_RECORD_SIZE', `a row has more than ${sourceLimits.rowCharacters} characters`],
])

function sentenceOf(file: string, { code, message }: CsvError, line: number): string {
  return `${file}, line ${line}: ${sentences.get(code) ?? message}`
}
