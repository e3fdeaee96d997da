import { once } from 'node:events'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { Measure } from './measure.ts'

/** The target of an archive's bytes. */
export interface ArchiveTarget {
  /** Consumes all bytes; the stream ends early with an error if the archive is abandoned. Resolves when the target has stored them. */
  take(bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Moves the result to its final place. Throws if a file there may not be replaced. */
  keep(): Promise<void>
  /** Removes everything that was written. */
  discard(): Promise<void>
}

/** A ZIP file that is written to its target entry by entry. It appears at its final place only when it is complete. */
export class WrittenArchive {
  /** Bytes that were passed to the target. */
  size = 0
  readonly #target: ArchiveTarget
  readonly #zip = new ZipFile()
  readonly #failed: Promise<never>
  readonly #written: Promise<void>

  constructor(target: ArchiveTarget) {
    this.#target = target
    this.#failed = once(this.#zip, 'error').then(([error]) => Promise.reject(error))
    this.#written = target.take(this.#counted(this.#zip.outputStream))
    // An archive that is discarded awaits neither of them. An unhandled rejection would end the process.
    for (const outcome of [this.#failed, this.#written]) outcome.catch(() => {})
  }

  /**
   * Adds an entry, and resolves to the measure of its content when all of it is written. Files that are already compressed do not need
   * `compress`.
   */
  async add(name: string, content: AsyncIterable<Uint8Array>, { compress = true } = {}): Promise<Measure> {
    const measure = new Measure()
    const stream = Readable.from(measure.of(content), { objectMode: false })
    this.#zip.addReadStream(stream, name, { compress, forceZip64Format: true, mode: 0o100600 })
    try {
      await this.#unlessFailed(finished(stream, { writable: false }))
    } finally {
      // Nobody reads the rest of an abandoned entry. Destroying the stream notifies the source of the content.
      stream.destroy()
    }
    return measure
  }

  /** Completes the archive, and moves it to its final place. Throws if a file there may not be replaced. */
  async keep(): Promise<void> {
    this.#zip.end()
    await this.#unlessFailed(this.#written)
    await this.#target.keep()
  }

  /** Removes everything that was written. */
  async discard(): Promise<void> {
    const output = this.#zip.outputStream
    if (output instanceof Readable) output.destroy(new Error('the archive was abandoned'))
    await this.#written.catch(() => {})
    await this.#target.discard()
  }

  async *#counted(output: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of output) {
      const bytes = Buffer.from(piece)
      this.size += bytes.length
      yield bytes
    }
  }

  /** Resolves with the work, and throws as soon as the archive cannot be written: the work alone would then never settle. */
  #unlessFailed(work: Promise<void>): Promise<void> {
    const writing = this.#written.then(() => work)
    return Promise.race([work, this.#failed, writing])
  }
}
