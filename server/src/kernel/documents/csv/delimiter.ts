export const delimiters = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof delimiters)[number]

const mostRecords = 50
/** If the best rating is lower, the first rows may be a title, which is narrower than the table. */
const doubtful = 0.5
const mostTitleRows = 20
/** Fewer columns below a title could be ordinary text. */
const leastColumns = 3

/**
 * Finds the delimiter of a text table: the character that divides most of the first rows into the same number of cells; among equals, the
 * one that gives the most cells. A table of one column gets a comma. Excel's `sep=;` line declares the delimiter, and is detected first.
 */
export function detectDelimiter(head: string): Delimiter {
  const said = /^\uFEFF?sep=([,;\t|])[\r\n]/iu.exec(head)?.[1]
  const named = delimiters.find(delimiter => delimiter === said)
  if (named !== undefined) return named
  const counted = delimiters.map(delimiter => ({ delimiter, counts: cellCounts(head, delimiter) }))
  const whole = bestOf(counted, rate)
  if (whole.rating >= doubtful) return whole.delimiter
  const below = bestOf(counted, rateBelowTitle)
  return below.rating >= doubtful ? below.delimiter : whole.delimiter
}

interface Counted {
  readonly delimiter: Delimiter
  readonly counts: readonly number[]
}

function bestOf(counted: readonly Counted[], rating: (counts: readonly number[]) => number) {
  let best: { readonly delimiter: Delimiter; readonly rating: number } = { delimiter: ',', rating: 0 }
  for (const { delimiter, counts } of counted) {
    const rated = rating(counts)
    if (rated > best.rating) best = { delimiter, rating: rated }
  }
  return best
}

/** The number of cells in each of the first rows. Delimiters and line breaks inside quotes do not count. */
function cellCounts(head: string, delimiter: Delimiter): number[] {
  const counts: number[] = []
  let cells = 1
  let isQuoted = false
  let isBlank = true
  let before = '\n'
  for (const character of head) {
    // A quote opens a cell as its first character; the second quote of a pair opens the cell again.
    if (character === '"') isQuoted = !isQuoted && [delimiter, '\n', '\r', '"'].includes(before)
    else if (!isQuoted && (character === '\n' || character === '\r')) {
      if (!isBlank) counts.push(cells)
      if (counts.length === mostRecords) return counts
      cells = 1
      isBlank = true
    } else if (!isQuoted && character === delimiter) cells += 1
    if (character.trim() !== '') isBlank = false
    before = character
  }
  if (counts.length === 0) counts.push(cells)
  return counts
}

/** How many rows are as wide as the first row, multiplied by that width; 0 for one column. */
function rate(counts: readonly number[]): number {
  const [width = 1] = counts
  if (width === 1) return 0
  const agreeing = counts.filter(count => count === width).length
  return agreeing / counts.length + width / 1000
}

/** The same without the rows before the first one that is at least twice as wide as each of them. */
function rateBelowTitle(counts: readonly number[]): number {
  let widest = counts[0] ?? 1
  for (const [index, count] of counts.entries()) {
    if (index > mostTitleRows) break
    if (count >= leastColumns && count >= 2 * widest) return rate(counts.slice(index))
    widest = Math.max(widest, count)
  }
  return 0
}
