import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { BackupError } from './backup-error.ts'

/** A ZIP file that is read entry by entry. Nothing is unpacked before it is asked for. */
export class ReadArchive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** Opens the file at a path. Whoever opens it closes it. Throws a `BackupError` for what is no such file, or half of one. */
  static async open(path: string): Promise<ReadArchive> {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(error => {
      if (error instanceof Error && 'code' in error) throw error
      throw new BackupError('this is no file that "backup" has written, or it was cut off', { cause: error })
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

  /** The bytes of an entry. Throws a `BackupError` where there is none, and where they are not those that were written. */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name)
    if (entry === undefined) throw new BackupError(`the backup has no ${name}: it is not whole`)
    let sum = 0
    try {
      const bytes: AsyncIterable<Uint8Array> = await this.#zip.openReadStreamPromise(entry)
      for await (const chunk of bytes) {
        sum = crc32(chunk, sum)
        yield chunk
      }
    } catch (error) {
      throw new BackupError(`${name} cannot be unpacked: the backup is damaged`, { cause: error })
    }
    if (sum !== entry.crc32) throw new BackupError(`${name} is not as it was written: the backup is damaged`)
  }

  /** A short entry, as text. */
  async text(name: string, most: number): Promise<string> {
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of this.read(name)) {
      size += chunk.length
      if (size > most) throw new BackupError(`${name} has more than ${most} bytes`)
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
    throw new BackupError('the list of what is in the file cannot be read: the backup is damaged', { cause: error })
  }
  return entries
}
