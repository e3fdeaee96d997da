import { csvRows } from './csv/csv-rows.ts'
import { type Delimiter, detectDelimiter } from './csv/delimiter.ts'
import { decode } from './encoding/decoder.ts'
import { detectEncoding } from './encoding/detect-encoding.ts'
import type { Encoding } from './encoding/encoding-names.ts'
import type { EncodingGuess } from './encoding/guess-encoding.ts'
import { firstBytesOf, noTable, sourceKind } from './source-kind.ts'
import type { SourceRow } from './source-row.ts'
import { UnreadableFile } from './unreadable-file.ts'
import { sheetNames, xlsxRows } from './xlsx/xlsx-rows.ts'

/** How the rows of a file are read. */
export type SourceForm =
  | { readonly kind: 'csv'; readonly encoding: Encoding; readonly delimiter: Delimiter }
  | { readonly kind: 'xlsx'; readonly sheetName: string; readonly sheets: readonly string[] }

/** What a client specified about the form; the rest is detected. */
export interface WantedForm {
  readonly encoding?: Encoding
  readonly delimiter?: Delimiter
  readonly sheetName?: string
}

const headBytes = 64 * 1024

/** How the rows of a file are read, and the guess behind it. */
export interface ExaminedForm {
  readonly form: SourceForm
  /** Null if the encoding is certain, or was specified. */
  readonly guess: EncodingGuess | null
}

/** The form of a file. Throws as `examineForm` does. */
export async function findForm(path: string, wanted: WantedForm): Promise<SourceForm> {
  return (await examineForm(path, wanted)).form
}

/** Detects the form of a file from its content. Throws `UnreadableFile` for a file that is neither CSV nor XLSX. */
export async function examineForm(path: string, wanted: WantedForm): Promise<ExaminedForm> {
  if ((await sourceKind(path)) === 'xlsx') {
    const sheets = await sheetNames(path)
    const sheetName = sheets.find(name => wanted.sheetName === undefined || name === wanted.sheetName)
    if (sheetName === undefined) throw new UnreadableFile('unknown_sheet', 'The workbook has no sheet of this name')
    return { form: { kind: 'xlsx', sheetName, sheets }, guess: null }
  }
  if (wanted.sheetName !== undefined) throw new UnreadableFile('unknown_sheet', 'A text table has no sheets')
  const detected = await detectEncoding(path)
  if (!detected.isText) throw noTable()
  const encoding = wanted.encoding ?? detected.encoding
  const delimiter = wanted.delimiter ?? detectDelimiter(decode(await firstBytesOf(path, headBytes), encoding))
  return { form: { kind: 'csv', encoding, delimiter }, guess: wanted.encoding === undefined ? detected.guess : null }
}

/** All rows of a file, whatever its form. */
export function sourceRows(path: string, form: SourceForm): AsyncGenerator<SourceRow> {
  return form.kind === 'csv' ? csvRows(path, form.encoding, form.delimiter) : xlsxRows(path, form.sheetName)
}
