/** What a spreadsheet takes for a formula, also behind characters that it passes over. */
const beginsFormula = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u

/** A row of a CSV file, by RFC 4180. `isSafe` puts an apostrophe before texts that a spreadsheet would compute. */
export function csvRow(values: readonly unknown[], isSafe: boolean): string {
  return `${values.map(value => csvCell(value, isSafe)).join(',')}\r\n`
}

function csvCell(value: unknown, isSafe: boolean): string {
  const text = plainText(value)
  const cell = isSafe && typeof value === 'string' && beginsFormula.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** A value in a cell: a text as it is, nothing for null, and JSON for what has parts. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
