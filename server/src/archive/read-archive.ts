import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { ArchiveError } from './archive-error.ts'
import type { ArchiveSource } from './archive-place.ts'
import { noArchive } from './manifest.ts'

/** A ZIP file that is read entry by entry. An entry is unpacked only when it is read. */
export class ReadArchive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** The caller closes it. Throws an `ArchiveError` if the file is not a ZIP file or is cut off. */
  static async open(source: ArchiveSource): Promise<ReadArchive> {
    const reader = new SourceReader(source)
    const options = { lazyEntries: true, autoClose: false }
    const zip = await fromRandomAccessReaderPromise(reader, source.size, options).catch(error => {
      if (reader.failure !== undefined) throw reader.failure
      throw new ArchiveError(noArchive, { cause: error })
    })
    try {
      return new ReadArchive(zip, await listed(zip))
    } catch (error) {
      zip.close()
      throw error
    }
  }

  get names(): string[] {
    return [...this.#entries.keys()]
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** The bytes of an entry. Throws an `ArchiveError` if there is none, and if its checksum differs. */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name)
    if (entry === undefined) throw new ArchiveError(`the archive has no ${name}: it is not whole`)
    let sum = 0
    try {
      const bytes: AsyncIterable<Uint8Array> = await this.#zip.openReadStreamPromise(entry)
      for await (const chunk of bytes) {
        sum = crc32(chunk, sum)
        yield chunk
      }
    } catch (error) {
      throw new ArchiveError(`${name} cannot be unpacked: the file is damaged`, { cause: error })
    }
    if (sum !== entry.crc32) throw new ArchiveError(`${name} is not as it was written: the file is damaged`)
  }

  /** A short entry as text. */
  async text(name: string, most: number): Promise<string> {
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of this.read(name)) {
      size += chunk.length
      if (size > most) throw new ArchiveError(`${name} has more than ${most} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  }

  close(): void {
    this.#zip.close()
  }
}

async function listed(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.has(entry.fileName)) throw new Error(`${entry.fileName} comes twice`)
      entries.set(entry.fileName, entry)
    }
  } catch (error) {
    throw new ArchiveError('the list of what is in the file cannot be read: the file is damaged', { cause: error })
  }
  return entries
}

/** Reads the ranges of a source that the ZIP library requests. */
class SourceReader extends RandomAccessReader {
  /** Why the source could not be read; undefined if there was no error. */
  failure: Error | undefined
  readonly #source: ArchiveSource

  constructor(source: ArchiveSource) {
    super()
    this.#source = source
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const stream = Readable.from(this.#source.read({ start, end: end - 1 }), { objectMode: false })
    stream.on('error', error => {
      this.failure ??= error
    })
    return stream
  }
}
