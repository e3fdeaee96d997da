import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { getDocumentProxy } from 'unpdf'
import { packageFolder } from '../../../kernel/product/index.ts'
import { type Block, tidied } from './block.ts'
import { TextLoss } from './text-loss.ts'
import { joinedLines } from './texts.ts'
import { Unindexable } from './unindexable.ts'

/** A line of a page, from top to bottom. */
interface Line {
  text: string
  /** The distance of its feet from the lower edge of the page, and the height of its letters. */
  readonly bottom: number
  readonly height: number
}

/** What the codes of fonts mean that are not embedded, as the build put it beside the program. Also sources take it from there. */
const characterMaps = fileURLToPath(new URL('dist/character-maps/', packageFolder))

/** The paragraphs of each page. Nothing of the file is run, and no font or link of it is followed. */
export async function* pdfBlocks(path: string): AsyncGenerator<Block> {
  const bytes = new Uint8Array(await readFile(path))
  const options = { isEvalSupported: false, verbosity: 0, cMapUrl: characterMaps, cMapPacked: true }
  const document = await getDocumentProxy(bytes, options).catch(failed)
  const loss = new TextLoss()
  for (let page = 1; page <= document.numPages; page += 1) {
    const lines = await linesOf(document, page).catch(failed)
    // Before NUL characters go, which are glyphs that the font does not have.
    for (const { text } of lines) loss.add(text)
    const usual = usualHeight(lines)
    for (const { text, isHeading } of paragraphs(lines, usual)) yield { text, page, ...(isHeading ? { level: 1 } : {}) }
  }
  if (loss.isMost) throw new Unindexable('no_text')
}

async function linesOf(document: Awaited<ReturnType<typeof getDocumentProxy>>, number: number): Promise<Line[]> {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  page.cleanup()
  const lines: Line[] = []
  let line: Line | null = null
  let last: Line | null = null
  for (const item of items) {
    if (!('str' in item)) continue
    const piece = { text: item.str, bottom: Number(item.transform[5]), height: item.height }
    if (line === null && item.str.trim() !== '') {
      line = { ...piece, text: '' }
      lines.push(line)
    }
    if (line !== null) line.text += last !== null && hasMarkBetween(last, piece) ? ` ${item.str}` : item.str
    last = piece
    if (item.hasEOL) [line, last] = [null, null]
  }
  return lines
}

/** Whether the number of a footnote ends one piece of a line or begins the next one, so that a space keeps it apart. */
function hasMarkBetween(piece: Line, next: Line): boolean {
  if (isRaised(next, piece)) return /^\d/u.test(next.text) && !(unit.test(piece.text) && /^[23](?!\d)/u.test(next.text))
  return isRaised(piece, next) && /\d$/u.test(piece.text) && /^\p{L}/u.test(next.text)
}

/** Metres, behind which a raised 2 or 3 is an exponent. */
const unit = /(?<![\p{L}'’])[cdkm]?m$/u

/** Whether a piece of a line has clearly smaller letters than another one, and stands higher. */
function isRaised(piece: Line, other: Line): boolean {
  return piece.height < 0.85 * other.height && piece.bottom > other.bottom + 0.1 * other.height
}

/** The height of most letters of a page: what is larger is a heading. */
function usualHeight(lines: readonly Line[]): number {
  const letters = new Map<number, number>()
  for (const { text, height } of lines) {
    const rounded = Math.round(height * 2) / 2
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length)
  }
  const [most] = [...letters].toSorted(([, one], [, other]) => other - one)
  return most?.[0] ?? 0
}

const longestHeading = 160

function* paragraphs(lines: readonly Line[], usual: number): Generator<{ text: string; isHeading: boolean }> {
  let paragraph: Line[] = []
  const isLarge = ({ height }: Line) => height > usual * 1.15
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1]
    const isApart =
      before !== undefined &&
      (Math.abs(before.bottom - line.bottom) > 1.7 * Math.max(before.height, line.height) ||
        isLarge(before) !== isLarge(line))
    if (isApart && paragraph.length > 0) {
      yield asParagraph(paragraph, isLarge)
      paragraph = []
    }
    paragraph.push(line)
  }
  if (paragraph.length > 0) yield asParagraph(paragraph, isLarge)
}

function asParagraph(lines: readonly Line[], isLarge: (line: Line) => boolean) {
  const text = tidied(joinedLines(lines.map(line => line.text).join('\n')))
  return { text, isHeading: text.length <= longestHeading && lines.every(isLarge) }
}

function failed(error: unknown): never {
  const name = error instanceof Error ? error.name : ''
  if (name === 'PasswordException') throw new Unindexable('protected')
  throw new Unindexable('damaged')
}
