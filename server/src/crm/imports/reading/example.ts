import { distinguishes, type EncodingGuess } from '../../../kernel/documents/index.ts'
import type { Warning } from './warnings.ts'

const exampleLength = 200
const beyondAscii = /[^\0-\x7F]/u

/** Finds the cell by which a person can tell whether an encoding was guessed right. */
export class Example {
  readonly #guess: EncodingGuess
  readonly #decides: (text: string) => boolean
  /** The best cell found: one that the other encoding would change, otherwise one beyond ASCII, otherwise the name of a column. */
  #found: { readonly column: number; readonly text: string; readonly rank: number } | null = null

  constructor(guess: EncodingGuess, header: readonly string[]) {
    this.#guess = guess
    this.#decides = distinguishes(guess.encoding, guess.other)
    for (const [column, name] of header.entries()) this.#offer(column, name, 0)
  }

  look(cells: readonly string[]): void {
    if (this.#found?.rank === 2) return
    for (const [column, cell] of cells.entries()) {
      if (beyondAscii.test(cell)) this.#offer(column, cell, this.#decides(cell) ? 2 : 1)
    }
  }

  warning(): Warning {
    const { encoding, other } = this.#guess
    const doubt = other === null ? '' : `, and could be ${other}`
    const message = `The encoding was guessed as ${encoding}${doubt}: if the example is misspelt, set \`encoding\``
    if (this.#found === null) return { code: 'guessed_encoding', message }
    const { column, text } = this.#found
    return { code: 'guessed_encoding', message, column, example: text }
  }

  #offer(column: number, text: string, rank: number): void {
    const at = text.search(beyondAscii)
    if (at === -1 || (this.#found !== null && this.#found.rank >= rank)) return
    const start = Math.max(0, at - exampleLength / 2)
    this.#found = {
      column,
      text: text
        .slice(start, start + exampleLength)
        .trim()
        .toWellFormed(),
      rank,
    }
  }
}
