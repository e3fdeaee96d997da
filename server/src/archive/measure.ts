import { createHash, type Hash } from 'node:crypto'

const newline = 0x0a

/** Counts what passes by: bytes, the lines in them, and what proves that they are the same. */
export class Measure {
  bytes = 0
  /** Rows, of what `copy` writes: in a value, the end of a line is written as `\n`. */
  lines = 0
  readonly #hash: Hash = createHash('sha256')

  async *of(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.bytes += chunk.length
      this.#hash.update(chunk)
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) this.lines += 1
      yield chunk
    }
  }

  /** To be asked once, when all has passed. */
  sha256(): string {
    return this.#hash.digest('hex')
  }
}
