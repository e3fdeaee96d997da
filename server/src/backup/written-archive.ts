import { once } from 'node:events'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { WrittenFile } from '../kernel/files/index.ts'
import { Measure } from './measure.ts'

/** A ZIP file on its way to the disk, entry by entry. It takes its place when it is whole. */
export class WrittenArchive {
  readonly #file: WrittenFile
  readonly #zip = new ZipFile()
  readonly #failed: Promise<never>
  readonly #written: Promise<void>

  private constructor(file: WrittenFile) {
    this.#file = file
    this.#failed = once(this.#zip, 'error').then(([error]) => Promise.reject(error))
    this.#written = this.#write(this.#zip.outputStream)
    // An archive that is discarded awaits neither of them. An error that nobody awaits would end the process.
    for (const outcome of [this.#failed, this.#written]) outcome.catch(() => {})
  }

  static async open(path: string): Promise<WrittenArchive> {
    return new WrittenArchive(await WrittenFile.open(path))
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
    await this.#file.keepAsNew()
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.#file.discard()
  }

  async #write(output: AsyncIterable<string | Uint8Array>): Promise<void> {
    for await (const bytes of output) await this.#file.write(bytes)
  }

  /** Resolves with the work, and throws as soon as the archive cannot be written: the work alone would then wait for ever. */
  #unlessFailed(work: Promise<void>): Promise<void> {
    const writing = this.#written.then(() => work)
    return Promise.race([work, this.#failed, writing])
  }
}
