const needsQuotes = /[",\r\n]/u
/**
 * What makes a spreadsheet treat a text as a formula: a sign in ASCII or in its full-width form, even after invisible characters, which
 * some programs drop; or a tab or line break, after which a new cell may begin.
 */
const beginsFormula = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠])/u

/** A text quoted as a cell of a CSV file (RFC 4180). */
export function csvCell(text: string): string {
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * The same with an apostrophe before a text that a spreadsheet would treat as a formula. Importing the result does not restore the original
 * text.
 */
export function safeCsvCell(text: string): string {
  return csvCell(beginsFormula.test(text) ? `'${text}` : text)
}
