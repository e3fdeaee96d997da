const needsQuotes = /[",\r\n]/u
/**
 * What makes a spreadsheet take a text for a formula: a sign in ASCII or in its full-width form, also behind what nobody sees, which some
 * programs drop; and a tab or line break, behind which another cell may begin.
 */
const beginsFormula = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠])/u

/** A text as it stands between the commas of a file (RFC 4180). */
export function csvCell(text: string): string {
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The same with an apostrophe before a text that a spreadsheet would take for a formula. It does not import again as it was. */
export function safeCsvCell(text: string): string {
  return csvCell(beginsFormula.test(text) ? `'${text}` : text)
}
