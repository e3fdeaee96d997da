/** One row of an uploaded file. All cells are texts, to keep leading zeros. */
export interface SourceRow {
  /** The line number that a person sees beside the row: the physical line on which it begins, from 1. */
  readonly line: number
  readonly cells: readonly string[]
  /** What is wrong with the row or with single cells; a row with a problem is not applied. */
  readonly problems: readonly CellProblem[]
}

/** Why a row or a cell cannot be used. */
export interface CellProblem {
  /** The number of the column from 0; null: the whole row. */
  readonly column: number | null
  readonly code: 'row_parse_error' | 'too_long' | 'invalid_format' | 'column_count'
  readonly message: string
}

export const noProblems: readonly CellProblem[] = []

/** Whether a row is empty. Empty rows are skipped and not counted. */
export function isBlankRow({ cells, problems }: SourceRow): boolean {
  return problems.length === 0 && cells.every(cell => cell.trim() === '')
}
