import type { Readable } from 'node:stream'
import { type Entry, open, type ZipFile } from 'yauzl'
import { bounds } from '../../limits/bounds.ts'
import { UnreadableFile } from '../unreadable-file.ts'

const damaged = () => new UnreadableFile('damaged', 'The file is damaged: it cannot be unpacked')

/**
 * The parts of a workbook or a document, which is a ZIP archive. A part is unpacked only when it is read, and its size is bounded both by
 * what the archive declares and by what is unpacked. Parts that no table needs, such as pictures, are never unpacked.
 */
export class PackageParts {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** Opens the archive at a path. The caller closes it. Throws `UnreadableFile` for a file that is not a workbook. */
  static async open(path: string): Promise<PackageParts> {
    const zip = await opened(path)
    try {
      return new PackageParts(zip, await listed(zip))
    } catch (error) {
      zip.close()
      throw error
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase())
  }

  /** The unpacked bytes of a part, at most `most`. */
  async *read(name: string, most: number = bounds.workbookPart.most): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name.toLowerCase())
    if (entry === undefined) throw damaged()
    if (entry.uncompressedSize > most) throw tooLarge(most)
    let size = 0
    try {
      const chunks: AsyncIterable<Uint8Array> = await this.#stream(entry)
      for await (const bytes of chunks) {
        size += bytes.length
        if (size > most) throw tooLarge(most)
        yield bytes
      }
    } catch (error) {
      throw error instanceof UnreadableFile ? error : damaged()
    }
  }

  close(): void {
    this.#zip.close()
  }

  #stream(entry: Entry): Promise<Readable> {
    return new Promise((resolve, reject) => {
      this.#zip.openReadStream(entry, (error, stream) => (error === null ? resolve(stream) : reject(error)))
    })
  }
}

function opened(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(path, { lazyEntries: true, autoClose: false }, (error, zip) =>
      error === null ? resolve(zip) : reject(damaged()),
    )
  })
}

/** The list of the parts, read to the end before anything is unpacked. */
function listed(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > bounds.workbookEntries.most) {
    const message = `The file has more than ${bounds.workbookEntries.most} parts`
    return Promise.reject(new UnreadableFile('too_large', message))
  }
  const entries = new Map<string, Entry>()
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName.toLowerCase(), entry)
      zip.readEntry()
    })
    zip.once('end', () => resolve(entries))
    zip.once('error', () => reject(damaged()))
    zip.readEntry()
  })
}

function tooLarge(most: number): UnreadableFile {
  return new UnreadableFile('too_large', `A part of the file has more than ${most} bytes when it is unpacked`)
}
