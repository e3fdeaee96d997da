import type { Block } from './block.ts'
import type { Passage } from './passage.ts'

/** How many characters a passage has, if its section has so many, and the most that it has. */
const wanted = 700
const most = 1200
const longestHeading = 300

/**
 * Divides a text into passages. A passage stays below one heading and on one page; a row of a table is a passage of its own.
 * Paragraphs are kept together as long as they fit, and a longer one is divided between sentences.
 */
export async function* split(blocks: AsyncIterable<Block>): AsyncGenerator<Passage> {
  const headings: string[] = []
  let waiting: string[] = []
  let page: number | null = null
  let isBelow = true
  const passage = (text: string, row: Passage['row'] = null): Passage => ({ text, heading: told(headings), page, row })
  const rest = (): Passage[] => {
    const text = waiting.join('\n')
    waiting = []
    return text === '' ? [] : [passage(text)]
  }
  for await (const block of blocks) {
    const on: number | null = block.page ?? null
    if (on !== page || block.row !== undefined || block.level !== undefined) yield* rest()
    page = on
    if (block.level !== undefined) {
      // A heading without text below it is told with the next one, and is a passage where none comes.
      if (!isBelow && headings.length >= block.level) yield passage(headings.at(-1) ?? '')
      headings.splice(block.level - 1, headings.length, block.text)
      isBelow = false
      continue
    }
    isBelow = true
    if (block.row !== undefined) {
      for (const text of parts(block.text)) yield passage(text, block.row)
      continue
    }
    for (const text of parts(block.text)) {
      const length = waiting.reduce((sum, one) => sum + one.length + 1, 0)
      if (length > 0 && (length >= wanted || length + text.length > most)) yield* rest()
      waiting.push(text)
    }
  }
  yield* rest()
  if (!isBelow) yield passage(headings.at(-1) ?? '')
}

function told(headings: readonly string[]): string {
  return headings
    .filter(heading => heading !== undefined && heading !== '')
    .join(' › ')
    .slice(0, longestHeading)
    .toWellFormed()
}

/** A text in parts that are not too long: divided behind sentences, else behind words, else anywhere. */
function* parts(text: string): Generator<string> {
  let left = text
  while (left.length > most) {
    const head = left.slice(0, most)
    const end =
      lastEnd(head, /[.!?…;](?=\s)/gu, wanted / 2) ?? lastEnd(head, /\S(?=\s)/gu, wanted / 2) ?? wellFormedEnd(head)
    yield left.slice(0, end).trim()
    left = left.slice(end).trim()
  }
  if (left !== '') yield left
}

/** Where the last match ends; null if there is none behind `least`. */
function lastEnd(text: string, pattern: RegExp, least: number): number | null {
  let end: number | null = null
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length
  return end !== null && end > least ? end : null
}

/** The end of the text, but not in the middle of a character. */
function wellFormedEnd(text: string): number {
  return text.isWellFormed() ? text.length : text.length - 1
}
