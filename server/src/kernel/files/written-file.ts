import { randomUUID } from 'node:crypto'
import { constants, copyFile, type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A file that only its owner can read. It is written under a temporary name beside its path, and renamed when complete. */
export class WrittenFile {
  readonly #path: string
  readonly #draft: string
  readonly #handle: FileHandle
  #waiting: string[] = []
  #written = Promise.resolve()

  private constructor(path: string, draft: string, handle: FileHandle) {
    this.#path = path
    this.#draft = draft
    this.#handle = handle
  }

  /** Throws if the path is something other than a file. */
  static async open(path: string): Promise<WrittenFile> {
    const found = await stat(path).catch(() => null)
    if (found !== null && !found.isFile()) throw new Error(`${path} is not a file`)
    const draft = `${path}.partial-${randomUUID()}`
    return new WrittenFile(path, draft, await open(draft, 'wx', 0o600))
  }

  /** Buffers a text until the next `flush`. */
  add(text: string): void {
    this.#waiting.push(text)
  }

  /** Resolves when the system has taken the buffered text. */
  flush(): Promise<void> {
    const text = this.#waiting.join('')
    this.#waiting = []
    return this.write(text)
  }

  /** Resolves when the system has taken the content. Writes happen in order, whether or not their callers wait for them. */
  write(content: string | Uint8Array): Promise<void> {
    this.#written = this.#written.then(() => this.#handle.appendFile(content))
    return this.#written
  }

  /** Moves the file to its path, and replaces one that was there. */
  async keep(): Promise<void> {
    await this.#complete()
    await rename(this.#draft, this.#path)
    await syncFolder(this.#path)
  }

  /** Moves the file to its path; fails if something is there. */
  async keepAsNew(): Promise<void> {
    await this.#complete()
    // Some volumes do not support hard links.
    await link(this.#draft, this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error
      return copyFile(this.#draft, this.#path, constants.COPYFILE_EXCL)
    })
    await rm(this.#draft)
    await syncFolder(this.#path)
  }

  /** Removes the temporary file. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {})
    await rm(this.#draft, { force: true })
  }

  async #complete(): Promise<void> {
    await this.flush()
    await this.#handle.sync()
    await this.#handle.close()
  }
}

/** Flushes a folder, so that the name of a file survives a crash. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
