import { createHash, type Hash } from 'node:crypto'

const newline = 0x0a

/** Counts the bytes and lines that pass through, and computes their hash. */
export class Measure {
  bytes = 0
  /**
   * The number of rows in the output of `copy`: line feeds in values are escaped as `
   * `.
   */
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

  /** Call this once, after all bytes have passed. */
  sha256(): string {
    return this.#hash.digest('hex')
  }
}
