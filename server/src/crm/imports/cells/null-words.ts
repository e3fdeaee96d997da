/**
 * Whether a cell has the word with which databases export a missing value, `NULL` or `\N`. Only this spelling counts, because there are
 * persons named Null.
 */
export function isNullWord(cell: string): boolean {
  return cell.length < longest && (cell.trim() === 'NULL' || cell.trim() === '\\N')
}

// A cell with more spaces than this is not the word of a database.
const longest = 20
