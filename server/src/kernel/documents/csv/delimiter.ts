export const delimiters = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof delimiters)[number]

const mostRecords = 50

/**
 * Finds what stands between the cells of a text table: the character that divides most of its first rows into the same
 * number of cells, and into the most cells among equals. A table of one column has a comma. Excel's `sep=;` line says it
 * itself, and is found as such.
 */
export function detectDelimiter(head: string): Delimiter {
  const said = /^\uFEFF?sep=([,;\t|])[\r\n]/iu.exec(head)?.[1]
  const named = delimiters.find(delimiter => delimiter === said)
  if (named !== undefined) return named
  let best: { readonly delimiter: Delimiter; readonly rating: number } = { delimiter: ',', rating: 0 }
  for (const delimiter of delimiters) {
    const rating = rate(cellCounts(head, delimiter))
    if (rating > best.rating) best = { delimiter, rating }
  }
  return best.delimiter
}

/** The number of cells in each of the first rows. Delimiters and line breaks between quotes do not count. */
function cellCounts(head: string, delimiter: Delimiter): number[] {
  const counts: number[] = []
  let cells = 1
  let isQuoted = false
  let isBlank = true
  let before = '\n'
  for (const character of head) {
    // A quote opens a cell as its first character; the second one of a pair opens the cell again.
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

/** How many rows have the width of the first row, each worth the more the wider it is; 0 for one column. */
function rate(counts: readonly number[]): number {
  const [width = 1] = counts
  if (width === 1) return 0
  const agreeing = counts.filter(count => count === width).length
  return agreeing / counts.length + width / 1000
}
