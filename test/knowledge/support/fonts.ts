import { pdfOf } from './documents.ts'

/** A font that a PDF names and does not contain: how it encodes text, and the collection of characters that it belongs to. */
export interface Font {
  readonly encoding: string
  readonly collection: string
}

/** A PDF whose font is not embedded and has no table of characters: only its encoding tells what the codes mean. */
export function pdfInFont({ encoding, collection }: Font, pages: readonly string[]): Buffer {
  const changes = [
    ['/Encoding /Identity-H', `/Encoding /${encoding}`],
    ['/ToUnicode 5 0 R', ''],
    ['/Ordering (Identity)', `/Ordering (${collection})`],
  ] as const
  let pdf = pdfOf(pages).toString('latin1')
  for (const [from, to] of changes) pdf = pdf.replace(from, to)
  return Buffer.from(pdf, 'latin1')
}

/** The content of a page with a line for each of these texts, given as hexadecimal codes. */
export const pageOfCodes = (...lines: readonly string[]): string =>
  `BT\n${lines.map((codes, index) => `/F1 11 Tf 1 0 0 1 50 ${700 - 14 * index} Tm <${codes}> Tj`).join('\n')}\nET`

/** A piece of a line: its text, the height of its letters in points, and how far it is raised. */
export type Piece = readonly [text: string, height?: number, rise?: number]

/** The content of a page with one line, whose pieces follow each other without a space. */
export const pageOfPieces = (...pieces: readonly Piece[]): string =>
  `BT 1 0 0 1 50 700 Tm\n${pieces.map(asShown).join('\n')}\nET`

const asShown = ([text, height = 11, rise = 0]: Piece) => `/F1 ${height} Tf ${rise} Ts <${codesOf(text)}> Tj`

/** The codes of a text in UTF-16, as hexadecimal digits. */
export const codesOf = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('hex')
