import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { TenantError } from './tenant-error.ts'

/** A file that its owner alone can read. It is written beside its place, and takes it when it is whole. */
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

  /** Throws a `TenantError` where something other than a file has that name. */
  static async open(path: string): Promise<WrittenFile> {
    const found = await stat(path).catch(() => null)
    if (found !== null && !found.isFile()) throw new TenantError(`${path} is not a file`)
    const draft = `${path}.partial-${randomUUID()}`
    return new WrittenFile(path, draft, await open(draft, 'wx', 0o600))
  }

  /** Holds a text until the next `flush`. */
  add(text: string): void {
    this.#waiting.push(text)
  }

  /** Resolves when the system has taken what is held. Texts are written one after another, whoever waits for them. */
  flush(): Promise<void> {
    const text = this.#waiting.join('')
    this.#waiting = []
    this.#written = this.#written.then(() => this.#handle.appendFile(text))
    return this.#written
  }

  /** Puts the file in its place, where it replaces one that was there. */
  async keep(): Promise<void> {
    await this.flush()
    await this.#handle.sync()
    await this.#handle.close()
    await rename(this.#draft, this.#path)
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {})
    await rm(this.#draft, { force: true })
  }
}
