import { bounds } from '../limits/bounds.ts'
import { type CellProblem, noProblems, type SourceRow } from './source-row.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** What is wrong with the text of a cell. */
export type TextProblem = Pick<CellProblem, 'code' | 'message'>

/**
 * A row with the problems of its cells: cells with too many bytes, or with bytes that are no text in the encoding of the file. Throws if
 * the row has more columns than a file may have.
 */
export function checkedRow(line: number, cells: readonly string[]): SourceRow {
  if (cells.length > bounds.importColumns.most) throw tooManyColumns()
  const problems: CellProblem[] = []
  for (const [column, cell] of cells.entries()) {
    const problem = problemOf(cell)
    if (problem !== null) problems.push({ column, ...problem })
  }
  return { line, cells, problems: problems.length === 0 ? noProblems : problems }
}

export function tooManyColumns(): UnreadableFile {
  return new UnreadableFile('too_many_columns', `A file has at most ${bounds.importColumns.most} columns`)
}

/** What decoders return for bytes without a character, and control characters that such bytes became in other programs. */
const noText = /[\0\uFFFD\u0081\u008D\u008F\u0090\u0098\u009D]/u

/** What is wrong with the text of a cell; null if it is valid. */
export function problemOf(cell: string): TextProblem | null {
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if (cell.length * 3 > bounds.importCell.most && Buffer.byteLength(cell) > bounds.importCell.most)
    return { code: 'too_long', message: `A cell has at most ${bounds.importCell.most} bytes` }
  if (noText.test(cell) || !cell.isWellFormed())
    return { code: 'row_parse_error', message: 'The cell has bytes that are no text in the encoding of the file' }
  return null
}
