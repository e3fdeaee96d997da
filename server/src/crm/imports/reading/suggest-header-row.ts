/** What is seen of one of the first rows of a table. */
export interface OutlinedRow {
  readonly line: number
  /** The cells, with what they are. */
  readonly cells: readonly CellKind[]
  /** Whether the filled cells could be names of columns: short texts, no two alike. */
  readonly isNames: boolean
  /** Lines that the row takes. */
  readonly height: number
}

/** `value`: a text with a digit or an at sign, which most tables of people and companies have in some column. */
export type CellKind = 'blank' | 'text' | 'value'

/** The last line on which the names of the columns may be. */
export const mostHeaderRow = 100

/** How many rows are outlined at the beginning of a table. */
export const outlinedRows = 40
/** How many rows below the names have to be alike. */
const comparedRows = 20
const longestName = 60
/** The share of the rows below that have to be as wide as the names. */
const alikeShare = 0.8

/** The outline of a row. */
export function outlineOf(line: number, cells: readonly string[]): OutlinedRow {
  const filled = cells.map(cell => cell.trim()).filter(cell => cell !== '')
  const isDistinct = new Set(filled.map(cell => cell.toLowerCase())).size === filled.length
  const height = 1 + cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/gu)?.length ?? 0), 0)
  return { line, cells: cells.map(kindOf), isNames: isDistinct && filled.every(isName), height }
}

function kindOf(cell: string): CellKind {
  if (cell.trim() === '') return 'blank'
  return /[\d@]/u.test(cell) ? 'value' : 'text'
}

function isName(text: string): boolean {
  return text.length <= longestName && /^\p{L}[^@]*$/u.test(text) && !/\d{3}/u.test(text)
}

/**
 * The line with the names of the columns if the first row is a title instead; null if it is not, or if that is doubtful. The names are the
 * first row that has at least twice as many filled cells as each row before it, all of them short and different texts, with rows below that are as wide.
 * Besides, a line must be blank above the names, or a column below them have values; for two columns, both.
 */
export function suggestHeaderRow(rows: readonly OutlinedRow[]): number | null {
  let widest = 0
  for (const [index, row] of rows.entries()) {
    const filled = filledIn(row)
    const before = rows[index - 1]
    if (row.line > mostHeaderRow) return null
    if (before !== undefined && filled >= 2 * widest && row.isNames && isAbove(row, rows.slice(index + 1))) {
      const signs = [row.line > before.line + before.height, hasValuesBelow(row, rows.slice(index + 1))]
      if (filled > 2 ? signs.includes(true) : !signs.includes(false)) return row.line
    }
    widest = Math.max(widest, filled)
  }
  return null
}

/** Whether the rows below names have as many cells: none beyond the last name, and at least half as many. */
function isAbove(names: OutlinedRow, below: readonly OutlinedRow[]): boolean {
  const compared = below.slice(0, comparedRows)
  const least = Math.max(2, filledIn(names) / 2)
  const alike = compared.filter(row => filledIn(row) >= least && widthOf(row) <= widthOf(names))
  return compared.length > 0 && alike.length >= compared.length * alikeShare
}

function hasValuesBelow(names: OutlinedRow, below: readonly OutlinedRow[]): boolean {
  const compared = below.slice(0, comparedRows)
  return names.cells.some((cell, column) => {
    const kinds = compared.map(({ cells }) => cells[column] ?? 'blank').filter(kind => kind !== 'blank')
    return cell === 'text' && kinds.length > 0 && kinds.filter(kind => kind === 'value').length * 2 >= kinds.length
  })
}

function filledIn({ cells }: OutlinedRow): number {
  return cells.filter(kind => kind !== 'blank').length
}

function widthOf({ cells }: OutlinedRow): number {
  return cells.findLastIndex(kind => kind !== 'blank') + 1
}
