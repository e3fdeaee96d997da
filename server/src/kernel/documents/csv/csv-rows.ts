import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { checkedRow } from '../checked-row.ts'
import type { Encoding } from '../encoding.ts'
import { type CellProblem, type SourceRow } from '../source-row.ts'
import type { Delimiter } from './delimiter.ts'
import { type CsvRecord, Effort, lineEnd, RecordDivider } from './records.ts'

/**
 * The rows of a CSV file, one after another. A row that cannot be read comes with the reason, and the rows behind it are
 * read as if it were not there. Throws `UnreadableFile` when the file has more than it may have.
 */
export async function* csvRows(path: string, encoding: Encoding, delimiter: Delimiter): AsyncGenerator<SourceRow> {
  const decoder = new TextDecoder(encoding)
  const effort = new Effort()
  const divider = new RecordDivider(effort)
  const chunks: AsyncIterable<Uint8Array> = createReadStream(path)
  for await (const chunk of chunks) {
    yield* rowsOf(divider.add(decoder.decode(chunk, { stream: true })), delimiter, effort)
  }
  yield* rowsOf([...divider.add(decoder.decode()), ...divider.end()], delimiter, effort)
}

/** The rows of records. They are parsed together, which is faster; where that fails, in halves. */
function* rowsOf(records: readonly CsvRecord[], delimiter: Delimiter, effort: Effort): Generator<SourceRow> {
  const filled = records.filter(({ line, text }) => text !== '' && !(line === 1 && separatorLine.test(text)))
  const [first, second] = filled
  if (first === undefined) return
  const texts = filled.map(({ text }) => text)
  const together = filled.some(({ isOpen }) => isOpen) ? null : cellsOf(texts, delimiter)
  if (together !== null) {
    for (const [index, { line }] of filled.entries()) yield checkedRow(line, together[index] ?? [])
  } else if (second !== undefined) {
    const half = filled.length >> 1
    yield* rowsOf(filled.slice(0, half), delimiter, effort)
    yield* rowsOf(filled.slice(half), delimiter, effort)
  } else yield* brokenRow(first, delimiter, effort)
}

/** A row that cannot be read costs its first line: the lines behind it are taken for rows again. */
function* brokenRow({ line, text, isOpen }: CsvRecord, delimiter: Delimiter, effort: Effort): Generator<SourceRow> {
  effort.addBroken()
  const rest = text.slice(lineEnd(text, 0).next)
  yield { line, cells: [], problems: [isOpen || rest !== '' ? openQuote : strayQuote] }
  if (rest === '') return
  effort.lookAhead(rest.length)
  const divider = new RecordDivider(effort, line + 1)
  yield* rowsOf([...divider.add(rest), ...divider.end()], delimiter, effort)
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
