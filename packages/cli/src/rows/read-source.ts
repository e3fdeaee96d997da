import { stat } from 'node:fs/promises'
import { UsageError } from '../failure.ts'
import { readCsv } from './read-csv.ts'
import { readNdjson } from './read-ndjson.ts'
import { type Source, type SourceRow, sourceLimits } from './source-row.ts'

const formats = { csv: 'csv', tsv: 'csv', ndjson: 'ndjson', jsonl: 'ndjson' } as const

/** The file with these rows, in the format of its name or the one that is asked for. Throws UsageError if that cannot be. */
export async function sourceOf(
  file: string,
  asked: { readonly format?: 'csv' | 'ndjson'; readonly delimiter?: string },
): Promise<Source> {
  const [ending = ''] = /[^.]*$/u.exec(file.toLowerCase()) ?? []
  const format = asked.format ?? new Map<string, 'csv' | 'ndjson'>(Object.entries(formats)).get(ending)
  if (format === undefined)
    throw new UsageError(`the name of ${file} does not tell its format: give --format csv or ndjson`)
  const found = await stat(file).catch(() => null)
  if (found === null) throw new UsageError(`there is no file ${file}`)
  if (!found.isFile()) throw new UsageError(`${file} is no regular file, and it is read twice: first to check it`)
  const given = asked.delimiter ?? (ending === 'tsv' ? 'tab' : ',')
  const delimiter = given === 'tab' || given === String.raw`\t` ? '\t' : given
  if (!/^[^"\r\n]$/u.test(delimiter)) throw new UsageError('--delimiter is one character, or tab')
  return { file, format, delimiter }
}

/** The rows of a file, one after another. */
export function rowsOf(source: Source): AsyncGenerator<SourceRow, void, undefined> {
  return source.format === 'csv' ? readCsv(source) : readNdjson(source)
}

/** Reads all rows once: their number, and the names of their columns. Throws UsageError if the file cannot be read to its end. */
export async function surveyOf(
  source: Source,
): Promise<{ readonly rows: number; readonly columns: readonly string[] }> {
  const columns = new Set<string>()
  let rows = 0
  for await (const { cells, problem } of rowsOf(source)) {
    rows += 1
    if (problem === null || source.format === 'csv') for (const column of cells.keys()) columns.add(column)
    if (columns.size > sourceLimits.columns)
      throw new UsageError(`${source.file} has more than ${sourceLimits.columns} different members`)
  }
  if (rows === 0) throw new UsageError(`${source.file} has no rows`)
  return { rows, columns: [...columns] }
}
