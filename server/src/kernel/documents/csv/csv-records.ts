import { bounds } from '../../limits/bounds.ts'
import { UnreadableFile } from '../unreadable-file.ts'
import type { Delimiter } from './delimiter.ts'

/** The text of one record of a CSV file, without the line break that ends it. */
export interface CsvRecord {
  readonly line: number
  readonly text: string
  /** What is wrong with its quotes; null for nothing. */
  readonly fault: QuoteFault | null
}

/**
 * `open`: a quote is never closed; the record is then the one line on which the quote begins. `stray`: text follows the quote that closes a
 * cell. `column` is the number of the cell, from 0.
 */
export interface QuoteFault {
  readonly kind: 'open' | 'stray'
  readonly column: number
}

/**
 * Divides a text into the records of a CSV file: a line break outside quotes ends a record. A quote opens a cell only as its first
 * character; elsewhere in a cell without quotes it is an ordinary character, as in `6' 1"`. If a quote is never closed, the record ends
 * with its line, and reading goes on after it. The search for closing quotes is bounded for the whole file: a file that exceeds the bound
 * is refused, and so is one with a line that does not end.
 *
 * Returns the records of each chunk together, because one call of the parser for all of them is faster.
 */
export class RecordDivider {
  readonly #effort: Effort
  readonly #delimiter: Delimiter
  #text = ''
  #line: number
  /** Where the search continues, and the positions of the open quote and the first stray quote, from the beginning of the record. */
  #from = 0
  #opened: number | null = null
  #stray: number | null = null

  /** `line` is the number of the first line of the text. */
  constructor(effort: Effort, delimiter: Delimiter, line = 1) {
    this.#effort = effort
    this.#delimiter = delimiter
    this.#line = line
  }

  /** The records that end in this chunk. */
  add(chunk: string): CsvRecord[] {
    this.#text += chunk
    return this.#divide(false)
  }

  /** The remaining records at the end of the text. */
  end(): CsvRecord[] {
    const records = this.#divide(true)
    if (this.#text !== '') records.push(this.#record(this.#text, this.#line))
    this.#text = ''
    return records
  }

  #divide(isEnd: boolean): CsvRecord[] {
    const records: CsvRecord[] = []
    const text = this.#text
    const marks = /["\r\n]/gu
    let start = 0
    let line = this.#line
    marks.lastIndex = this.#from
    for (;;) {
      const mark = marks.exec(text)
      const end = mark === null ? text.length : mark.index
      const isTooLong = end - start > bounds.importRow.most
      if (isTooLong && this.#opened === null) throw new UnreadableFile('too_large', tooLong)
      if (this.#opened !== null && (isTooLong || (mark === null && isEnd))) {
        this.#effort.lookAhead(end - start)
        const first = lineEnd(text, start)
        const column = columnAt(text.slice(start), this.#opened, this.#delimiter)
        records.push({ line, text: text.slice(start, first.end), fault: { kind: 'open', column } })
        start = first.next
        marks.lastIndex = start
        line += 1
        this.#opened = null
        this.#stray = null
        if (start >= text.length) break
        continue
      }
      if (mark === null) break
      // The character after a quote or a carriage return is in the next chunk.
      if (mark[0] !== '\n' && mark.index + 1 === text.length && !isEnd) {
        this.#keep(text, start, mark.index, line)
        return records
      }
      if (mark[0] === '"') {
        marks.lastIndex = this.#quote(text, start, mark.index)
        continue
      }
      const next = mark.index + (mark[0] === '\r' && text[mark.index + 1] === '\n' ? 2 : 1)
      marks.lastIndex = next
      if (this.#opened !== null) continue
      records.push(this.#record(text.slice(start, mark.index), line))
      line += 1 + lineBreaks(text.slice(start, mark.index))
      start = next
    }
    this.#keep(text, start, text.length, line)
    return records
  }

  /** Handles a quote, and returns where the search continues. */
  #quote(text: string, start: number, index: number): number {
    const next = text[index + 1]
    if (this.#opened === null) {
      if (index === start || text[index - 1] === this.#delimiter) this.#opened = index - start
      return index + 1
    }
    if (next === '"') return index + 2
    const closes = next === undefined || next === this.#delimiter || next === '\r' || next === '\n'
    if (!closes) this.#stray ??= index - start
    this.#opened = null
    return index + 1
  }

  #record(text: string, line: number): CsvRecord {
    const stray = this.#stray
    this.#stray = null
    const fault = stray === null ? null : ({ kind: 'stray', column: columnAt(text, stray, this.#delimiter) } as const)
    return { line, text, fault }
  }

  #keep(text: string, start: number, from: number, line: number): void {
    this.#text = text.slice(start)
    this.#from = from - start
    this.#line = line
  }
}

/** The number of the cell at an offset in a record, from 0. Delimiters inside quotes do not count. */
function columnAt(record: string, place: number, delimiter: Delimiter): number {
  let column = 0
  let isQuoted = false
  for (let index = 0; index < place; index += 1) {
    const character = record[index]
    if (isQuoted) {
      if (character !== '"') continue
      if (record[index + 1] === '"') index += 1
      else isQuoted = false
    } else if (character === delimiter) column += 1
    else if (character === '"') isQuoted = index === 0 || record[index - 1] === delimiter
  }
  return column
}

/** The end of the first line after an offset, and the beginning of the next line. */
export function lineEnd(text: string, start: number): { end: number; next: number } {
  const found = /\r\n|\r|\n/gu
  found.lastIndex = start
  const match = found.exec(text)
  return match === null
    ? { end: text.length, next: text.length }
    : { end: match.index, next: match.index + match[0].length }
}

/** The work spent on rows with broken quotes. A file that needs too much of it is refused. */
export class Effort {
  #lookedAhead = 0
  #broken = 0

  /** Counts characters that were searched for a closing quote. */
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

/** The number of line breaks inside a record; they are inside quotes. */
function lineBreaks(text: string): number {
  return text.match(/\r\n|\r|\n/gu)?.length ?? 0
}
