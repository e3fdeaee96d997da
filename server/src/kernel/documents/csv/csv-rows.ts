import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { checkedRow } from '../checked-row.ts'
import { decoderOf } from '../encoding/decoder.ts'
import type { Encoding } from '../encoding/encoding-names.ts'
import type { SourceRow } from '../source-row.ts'
import { type CsvRecord, Effort, lineEnd, type QuoteFault, RecordDivider } from './csv-records.ts'
import type { Delimiter } from './delimiter.ts'

/**
 * The rows of a CSV file, one after another. A row that cannot be read is returned with the reason, and reading goes on with the next row.
 * Throws `UnreadableFile` when the file exceeds a bound.
 */
export async function* csvRows(path: string, encoding: Encoding, delimiter: Delimiter): AsyncGenerator<SourceRow> {
  const decoder = decoderOf(encoding)
  const effort = new Effort()
  const divider = new RecordDivider(effort, delimiter)
  const chunks: AsyncIterable<Buffer> = createReadStream(path)
  for await (const chunk of chunks) {
    yield* rowsOf(divider.add(decoder.write(chunk)), delimiter, effort)
  }
  yield* rowsOf([...divider.add(decoder.end()), ...divider.end()], delimiter, effort)
}

/** The rows of records. Parses them together, which is faster; if that fails, in halves. */
function* rowsOf(records: readonly CsvRecord[], delimiter: Delimiter, effort: Effort): Generator<SourceRow> {
  const filled = records.filter(({ line, text }) => text !== '' && !(line === 1 && separatorLine.test(text)))
  const [first, second] = filled
  if (first === undefined) return
  const texts = filled.map(({ text }) => text)
  const together = filled.some(({ fault }) => fault !== null) ? null : cellsOf(texts, delimiter)
  if (together !== null) {
    for (const [index, { line }] of filled.entries()) yield checkedRow(line, together[index] ?? [])
  } else if (second !== undefined) {
    const half = filled.length >> 1
    yield* rowsOf(filled.slice(0, half), delimiter, effort)
    yield* rowsOf(filled.slice(half), delimiter, effort)
  } else yield* brokenRow(first, delimiter, effort)
}

/** Only the first line of a row that cannot be read is lost: the lines after it are read as rows again. */
function* brokenRow({ line, text, fault }: CsvRecord, delimiter: Delimiter, effort: Effort): Generator<SourceRow> {
  effort.addBroken()
  const rest = text.slice(lineEnd(text, 0).next)
  const message = rest === '' ? messageOf(fault) : messageOf({ kind: 'open', column: fault?.column ?? 0 })
  yield { line, cells: [], problems: [{ column: null, code: 'row_parse_error', message }] }
  if (rest === '') return
  effort.lookAhead(rest.length)
  const divider = new RecordDivider(effort, delimiter, line + 1)
  yield* rowsOf([...divider.add(rest), ...divider.end()], delimiter, effort)
}

/** The line with which Excel declares the delimiter. */
const separatorLine = /^sep=[,;\t|]$/iu

// Wrong quotes were detected before: other quotes inside a cell are ordinary characters.
const relaxed = { relax_column_count: true, relax_quotes: true }

/** The cells of each record; null if the quotes of one are broken. */
function cellsOf(records: readonly string[], delimiter: Delimiter): readonly (readonly string[])[] | null {
  if (records.length === 0) return []
  try {
    const rows: string[][] = parse(records.join('\n'), { delimiter, record_delimiter: '\n', ...relaxed })
    return rows.length === records.length ? rows : null
  } catch {
    return null
  }
}

/** Says which cell of the row is broken. Cells are counted from 1. */
function messageOf(fault: QuoteFault | null): string {
  if (fault === null) return 'The quotes of the row are broken'
  return fault.kind === 'open'
    ? `A quote opens cell ${fault.column + 1} of the row and nothing closes it`
    : `Text stands behind the quote that closes cell ${fault.column + 1} of the row: double the quotes inside of it`
}
