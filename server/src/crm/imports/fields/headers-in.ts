/** The headers in a text with a comma between each two, the best first. */
export function headersIn(text: string): readonly string[] {
  return text.split(',').map(header => header.trim())
}
