import { once } from 'node:events'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { Measure } from './measure.ts'

/** Where the bytes of an archive go. */
export interface ArchiveTarget {
  /** Takes all bytes; they end early, with an error, where the archive is given up. Resolves when the target has them. */
  take(bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Puts what was taken in its place. Throws where there is something that may not be replaced. */
  keep(): Promise<void>
  /** Leaves nothing behind. */
  discard(): Promise<void>
}

/** A ZIP file on its way to its target, entry by entry. It takes its place when it is whole. */
export class WrittenArchive {
  /** Bytes that the target was given. */
  size = 0
  readonly #target: ArchiveTarget
  readonly #zip = new ZipFile()
  readonly #failed: Promise<never>
  readonly #written: Promise<void>

  constructor(target: ArchiveTarget) {
    this.#target = target
    this.#failed = once(this.#zip, 'error').then(([error]) => Promise.reject(error))
    this.#written = target.take(this.#counted(this.#zip.outputStream))
    // An archive that is discarded awaits neither of them. An error that nobody awaits would end the process.
    for (const outcome of [this.#failed, this.#written]) outcome.catch(() => {})
  }

  /** Adds an entry, and resolves to the measure of its content when all of it has come. Packed files need no `compress`. */
  async add(name: string, content: AsyncIterable<Uint8Array>, { compress = true } = {}): Promise<Measure> {
    const measure = new Measure()
    const stream = Readable.from(measure.of(content), { objectMode: false })
    this.#zip.addReadStream(stream, name, { compress, forceZip64Format: true, mode: 0o100600 })
    try {
      await this.#unlessFailed(finished(stream, { writable: false }))
    } finally {
      // Nobody reads the rest of an entry that is given up. Destroying the stream tells the source of the content so.
      stream.destroy()
    }
    return measure
  }

  /** Completes the archive, and puts it in its place. Throws where something is there that may not be replaced. */
  async keep(): Promise<void> {
    this.#zip.end()
    await this.#unlessFailed(this.#written)
    await this.#target.keep()
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    const output = this.#zip.outputStream
    if (output instanceof Readable) output.destroy(new Error('the archive was given up'))
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

  /** Resolves with the work, and throws as soon as the archive cannot be written: the work alone would then wait for ever. */
  #unlessFailed(work: Promise<void>): Promise<void> {
    const writing = this.#written.then(() => work)
    return Promise.race([work, this.#failed, writing])
  }
}
