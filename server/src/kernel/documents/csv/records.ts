import { bounds } from '../../limits/bounds.ts'
import { UnreadableFile } from '../unreadable-file.ts'

/** The text of one record of a CSV file, without the line break behind it. */
export interface CsvRecord {
  readonly line: number
  readonly text: string
  /** Set if a quote was opened in it that nothing closes. Then the record is the one line on which it begins. */
  readonly isOpen: boolean
}

/**
 * Divides a text into the records of a CSV file: a line break ends a record where as many quotes were closed as opened.
 * A quote that is never closed costs one line: the record ends there, and reading goes on behind it. Looking for the end
 * of such quotes is bounded for the whole file; beyond, the file is refused, and so is one with a line that has no end.
 *
 * Gives the records of each chunk together, because one call of the parser for all of them is faster.
 */
export class RecordDivider {
  readonly #effort: Effort
  #text = ''
  #line: number
  /** Where the search goes on, and the quotes and line breaks before it since the record began. */
  #from = 0
  #isQuoted = false

  /** `line` is the number of the first line of the text. */
  constructor(effort: Effort, line = 1) {
    this.#effort = effort
    this.#line = line
  }

  /** The records that end in this chunk. */
  add(chunk: string): CsvRecord[] {
    this.#text += chunk
    return this.#divide(false)
  }

  /** The records that are left when the text has ended. */
  end(): CsvRecord[] {
    const records = this.#divide(true)
    if (this.#text !== '') records.push({ line: this.#line, text: this.#text, isOpen: false })
    this.#text = ''
    return records
  }

  #divide(isEnd: boolean): CsvRecord[] {
    const records: CsvRecord[] = []
    const text = this.#text
    const marks = /["\r\n]/gu
    let start = 0
    let line = this.#line
    let isQuoted = this.#isQuoted
    marks.lastIndex = this.#from
    for (;;) {
      const mark = marks.exec(text)
      const end = mark === null ? text.length : mark.index
      const isTooLong = end - start > bounds.importRow.most
      if (isTooLong && !isQuoted) throw new UnreadableFile('too_large', tooLong)
      if (isTooLong || (mark === null && isQuoted && isEnd)) {
        this.#effort.lookAhead(end - start)
        const first = lineEnd(text, start)
        records.push({ line, text: text.slice(start, first.end), isOpen: true })
        start = first.next
        marks.lastIndex = start
        line += 1
        isQuoted = false
        if (start >= text.length) break
        continue
      }
      if (mark === null) break
      if (mark[0] === '"') {
        isQuoted = !isQuoted
        continue
      }
      const isPair = mark[0] === '\r' && text[mark.index + 1] === '\n'
      // Whether a line feed follows shows in the next chunk.
      if (mark[0] === '\r' && mark.index + 1 === text.length && !isEnd) {
        this.#keep(text, start, mark.index, line, isQuoted)
        return records
      }
      const next = mark.index + (isPair ? 2 : 1)
      marks.lastIndex = next
      if (isQuoted) continue
      const record = text.slice(start, mark.index)
      records.push({ line, text: record, isOpen: false })
      line += 1 + lineBreaks(record)
      start = next
    }
    this.#keep(text, start, text.length, line, isQuoted)
    return records
  }

  #keep(text: string, start: number, from: number, line: number, isQuoted: boolean): void {
    this.#text = text.slice(start)
    this.#from = from - start
    this.#line = line
    this.#isQuoted = isQuoted
  }
}

/** The end of the first line behind a place, and where the next line begins. */
export function lineEnd(text: string, start: number): { end: number; next: number } {
  const found = /\r\n|\r|\n/gu
  found.lastIndex = start
  const match = found.exec(text)
  return match === null
    ? { end: text.length, next: text.length }
    : { end: match.index, next: match.index + match[0].length }
}

/** What was done for rows whose quotes are broken. A file that asks for too much of it is refused. */
export class Effort {
  #lookedAhead = 0
  #broken = 0

  /** Counts characters in which the end of a quote was looked for. */
  lookAhead(characters: number): void {
    this.#lookedAhead += characters
    if (this.#lookedAhead > bounds.importLookAhead.most) throw tooMany()
  }

  /** Counts a row that could not be read. */
  addBroken(): void {
    this.#broken += 1
    if (this.#broken > bounds.importBrokenRows.most) throw tooMany()
  }
}

const tooLong = `A row has at most ${bounds.importRow.most.toLocaleString('en')} characters`

function tooMany(): UnreadableFile {
  return new UnreadableFile('broken_quotes', 'The quotes of too many rows are broken: no row was taken')
}

/** The line breaks inside a record, which stand between quotes. */
function lineBreaks(text: string): number {
  return text.match(/\r\n|\r|\n/gu)?.length ?? 0
}
