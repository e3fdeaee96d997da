import { once } from 'node:events'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { WrittenFile } from '../kernel/files/index.ts'
import { Measure } from './measure.ts'

/** Takes the bytes of an archive, which are whole when they are kept. */
export type ArchiveTarget = Pick<WrittenFile, 'write' | 'keepAsNew' | 'discard'>

/** A ZIP file on its way to the disk or a stream, entry by entry. It takes its place when it is whole. */
export class WrittenArchive {
  readonly #target: ArchiveTarget
  readonly #zip = new ZipFile()
  readonly #failed: Promise<never>
  readonly #written: Promise<void>

  constructor(target: ArchiveTarget) {
    this.#target = target
    this.#failed = once(this.#zip, 'error').then(([error]) => Promise.reject(error))
    this.#written = this.#write(this.#zip.outputStream)
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

  /** Completes the file, and puts it in its place. Throws where there is one by then. */
  async keep(): Promise<void> {
    this.#zip.end()
    await this.#unlessFailed(this.#written)
    await this.#target.keepAsNew()
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.#target.discard()
  }

  async #write(output: AsyncIterable<string | Uint8Array>): Promise<void> {
    for await (const bytes of output) await this.#target.write(bytes)
  }

  /** Resolves with the work, and throws as soon as the archive cannot be written: the work alone would then wait for ever. */
  #unlessFailed(work: Promise<void>): Promise<void> {
    const writing = this.#written.then(() => work)
    return Promise.race([work, this.#failed, writing])
  }
}
