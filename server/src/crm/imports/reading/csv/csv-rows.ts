import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { checkedRow } from '../checked-row.ts'
import type { Encoding } from '../encoding.ts'
import { type CellProblem, type SourceRow } from '../source-row.ts'
import type { Delimiter } from './delimiter.ts'
import { type CsvRecord, RecordDivider } from './records.ts'

/**
 * The rows of a CSV file, one after another. A row that cannot be read comes with the reason, and the rows behind it are
 * read as if it were not there. Throws `UnreadableFile` when the file has more than it may have.
 */
export async function* csvRows(path: string, encoding: Encoding, delimiter: Delimiter): AsyncGenerator<SourceRow> {
  const decoder = new TextDecoder(encoding)
  const divider = new RecordDivider()
  const chunks: AsyncIterable<Uint8Array> = createReadStream(path)
  for await (const chunk of chunks) {
    yield* rowsOf(divider.add(decoder.decode(chunk, { stream: true })), delimiter)
  }
  yield* rowsOf([...divider.add(decoder.decode()), ...divider.end()], delimiter)
}

function* rowsOf(records: readonly CsvRecord[], delimiter: Delimiter): Generator<SourceRow> {
  const filled = records.filter(({ line, text }) => text !== '' && !(line === 1 && separatorLine.test(text)))
  const together = filled.some(({ isOpen }) => isOpen)
    ? null
    : cellsOf(
        filled.map(({ text }) => text),
        delimiter,
      )
  for (const [index, { line, text, isOpen }] of filled.entries()) {
    const cells = together?.[index] ?? (isOpen ? null : cellsOf([text], delimiter)?.[0])
    yield cells ? checkedRow(line, cells) : { line, cells: [], problems: [isOpen ? openQuote : strayQuote] }
  }
}

/** The line with which Excel says what divides the cells. */
const separatorLine = /^sep=[,;\t|]$/iu

/** The cells of each record; null if the quotes of one are broken. */
function cellsOf(records: readonly string[], delimiter: Delimiter): readonly (readonly string[])[] | null {
  if (records.length === 0) return []
  try {
    const rows: string[][] = parse(records.join('\n'), { delimiter, record_delimiter: '\n', relax_column_count: true })
    return rows.length === records.length ? rows : null
  } catch {
    return null
  }
}

const openQuote: CellProblem = {
  column: null,
  code: 'row_parse_error',
  message: 'A quote is opened in this row and never closed',
}
const strayQuote: CellProblem = {
  column: null,
  code: 'row_parse_error',
  message: 'A quote stands inside a cell: quote the whole cell and double the quotes in it',
}
