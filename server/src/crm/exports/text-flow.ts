import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { bounds, type Pace } from '../../kernel/index.ts'
import type { RowFlow } from '../../kernel/sql/index.ts'

/** The file would exceed the size limit. */
export class FileTooLarge extends Error {}

/** The store no longer accepts the bytes of the file; its own error says why. */
export class BytesNotTaken extends Error {}

interface Options {
  /** Converts a row to text. */
  line(row: Readonly<Record<string, unknown>>): string
  /** Called after each portion of rows; if it throws, the stream ends. */
  onPart(rows: number): Promise<void>
  /** Yields to the event loop, so that waiting requests are served first. */
  readonly pace: Pace
}

/**
 * Turns the rows of a statement into the bytes of a file. Backpressure limits reading to the speed of the reader, so memory use is constant
 * however long the file is.
 */
export class TextFlow implements RowFlow {
  readonly bytes = new PassThrough({ highWaterMark: 4 * bounds.largePart.most })
  readonly #options: Options
  #text: string
  #rows = 0
  #size = 0
  #failure: Error | undefined

  /** `head` is the beginning of the file. */
  constructor(head: string, options: Options) {
    this.#text = head
    this.#options = options
    // The reader of the stream gets the error; without a listener it would end the process.
    this.bytes.on('error', () => {})
  }

  /** How many rows have been read. */
  get rows(): number {
    return this.#rows
  }

  readonly take = (row: Readonly<Record<string, unknown>>): void => {
    this.#rows += 1
    this.#text += this.#options.line(row)
  }

  async giveWay(): Promise<void> {
    this.#write()
    await this.#options.onPart(this.#rows)
    if (this.bytes.writableNeedDrain) await this.#drained()
    if (this.bytes.destroyed)
      throw this.#failure ?? new BytesNotTaken('the store has stopped reading the bytes of a file')
    await this.#options.pace.rest()
  }

  /** Writes the rest, and ends the stream. */
  end(): void {
    this.#write()
    this.bytes.end()
  }

  /** Ends the stream with an error, so that the part already read does not become a file. */
  fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error))
    this.bytes.destroy(this.#failure)
  }

  #write(): void {
    if (this.#text === '' || this.bytes.destroyed) return
    const part = Buffer.from(this.#text)
    this.#text = ''
    this.#size += part.length
    const { most } = bounds.exportFileBytes
    if (this.#size > most) throw new FileTooLarge(`the file would have more than ${most} bytes`)
    this.bytes.write(part)
  }

  /** Resolves when there is room for more, or when the stream has ended. */
  async #drained(): Promise<void> {
    const settled = new AbortController()
    const { signal } = settled
    const either = [once(this.bytes, 'drain', { signal }), once(this.bytes, 'close', { signal })]
    // If the stream ends with an error, both of these throw it; the next write fails with it.
    await Promise.race(either)
      .catch(() => {})
      .finally(() => settled.abort())
  }
}
