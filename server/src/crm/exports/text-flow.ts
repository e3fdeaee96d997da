import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { bounds, type Pace } from '../../kernel/index.ts'
import type { RowFlow } from '../../kernel/sql/index.ts'

/** A file would be longer than any may be. */
export class FileTooLarge extends Error {}

/** The store has stopped taking the bytes of the file; its own error says why. */
export class BytesNotTaken extends Error {}

interface Options {
  /** The text of each row. */
  line(row: Readonly<Record<string, unknown>>): string
  /** Called after each part of the rows; what it throws ends the flow. */
  onPart(rows: number): Promise<void>
  /** Lets requests go first that come meanwhile. */
  readonly pace: Pace
}

/**
 * Turns the rows of a statement into the bytes of a file. Rows are read as fast as the bytes are taken, so that a few parts are in
 * memory however long the file is.
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
    // The reader of the bytes gets the error; without a listener it would end the process.
    this.bytes.on('error', () => {})
  }

  /** How many rows have come. */
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
    if (this.bytes.destroyed) throw this.#failure ?? new BytesNotTaken('nobody takes the bytes of a file any more')
    await this.#options.pace.rest()
  }

  /** Writes what is left, and ends the bytes. */
  end(): void {
    this.#write()
    this.bytes.end()
  }

  /** Ends the bytes with an error, so that what was taken of them does not become a file. */
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

  /** Resolves when there is room for more, or when there will never be. */
  async #drained(): Promise<void> {
    const settled = new AbortController()
    const { signal } = settled
    const either = [once(this.bytes, 'drain', { signal }), once(this.bytes, 'close', { signal })]
    // If the bytes end with an error, both of these throw it; the next write fails with it.
    await Promise.race(either)
      .catch(() => {})
      .finally(() => settled.abort())
  }
}
