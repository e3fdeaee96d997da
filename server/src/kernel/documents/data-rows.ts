import { bounds } from '../limits/bounds.ts'
import { limits } from '../limits/limits.ts'
import { type SourceForm, sourceRows } from './source-form.ts'
import { isBlankRow, type SourceRow } from './source-row.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** The names of the columns, and the rows below them. */
export interface DataTable {
  readonly header: readonly string[]
  /** The line with the names of the columns. */
  readonly headerLine: number
  /** The rows that are not blank. A row with more cells than columns has a problem. */
  readonly rows: AsyncGenerator<SourceRow>
}

/**
 * Opens a file as a table. The names of its columns are on the first row that is not blank, from line `headerRow` on (counted from 1).
 * Throws `UnreadableFile` if there is none, or if the file has more rows than it may have.
 */
export async function openTable(path: string, form: SourceForm, headerRow: number): Promise<DataTable> {
  const rows = sourceRows(path, form)
  for (;;) {
    const { value: row, done } = await rows.next()
    if (done) throw new UnreadableFile('no_header', 'The file has no row with the names of the columns')
    if (row.line < headerRow || isBlankRow(row)) continue
    const [problem] = row.problems
    if (problem !== undefined) {
      await rows.return(undefined)
      throw new UnreadableFile('no_header', `The names of the columns cannot be read: ${problem.message}`)
    }
    const header = withoutBlankEnd(row.cells).map(name => name.normalize('NFC').trim())
    return { header, headerLine: row.line, rows: dataRows(rows, header.length) }
  }
}

async function* dataRows(rows: AsyncGenerator<SourceRow>, width: number): AsyncGenerator<SourceRow> {
  let [count, characters] = [0, 0]
  for await (const row of rows) {
    for (const cell of row.cells) characters += cell.length
    if (characters > bounds.importText.most)
      throw new UnreadableFile('too_large', `The cells of a file have at most ${bounds.importText.most} characters`)
    if (isBlankRow(row)) continue
    count += 1
    if (count > limits.importRows)
      throw new UnreadableFile('too_many_rows', `A file has at most ${limits.importRows} rows`)
    yield fitted(row, width)
  }
}

/** A row with one cell for each column. Cells missing at its end are empty. */
function fitted(row: SourceRow, width: number): SourceRow {
  if (row.problems.some(({ column }) => column === null)) return row
  const cells = withoutBlankEnd(row.cells)
  if (cells.length <= width) return row
  const message = `The row has ${cells.length} cells, and the file ${width} columns`
  return { ...row, problems: [{ column: null, code: 'column_count', message }, ...row.problems] }
}

function withoutBlankEnd(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex(cell => cell.trim() !== '') + 1)
}
