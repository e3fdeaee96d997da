import { type Entry, openPromise, type ZipFile } from 'yauzl'
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
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(() => Promise.reject(damaged()))
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
      const chunks: AsyncIterable<Uint8Array> = await this.#zip.openReadStreamPromise(entry)
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
}

/** The list of the parts, read to the end before anything is unpacked. */
async function listed(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > bounds.workbookEntries.most)
    throw new UnreadableFile('too_large', `The file has more than ${bounds.workbookEntries.most} parts`)
  const entries = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry)
  } catch {
    throw damaged()
  }
  return entries
}

function tooLarge(most: number): UnreadableFile {
  return new UnreadableFile('too_large', `A part of the file has more than ${most} bytes when it is unpacked`)
}
