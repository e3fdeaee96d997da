import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** No request lasts that long: an older folder was left by a process that was killed. */
const leftBehindMilliseconds = 86_400_000

/** Keeps the files of requests while they are served, in a private folder for each request. */
export class Spool {
  readonly directory: string
  #swept: Promise<void> | undefined

  constructor(directory: string) {
    this.directory = directory
  }

  /** Makes a new folder, which only the user of this process may read. The caller removes it. */
  async open(): Promise<string> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 })
    this.#swept ??= this.#sweep()
    await this.#swept
    return mkdtemp(join(this.directory, 'request-'))
  }

  async #sweep(): Promise<void> {
    const oldest = Date.now() - leftBehindMilliseconds
    for (const name of await readdir(this.directory)) {
      const folder = join(this.directory, name)
      // Another process may have removed one of its folders meanwhile.
      const found = await stat(folder).catch(() => null)
      if (found !== null && found.mtimeMs < oldest) await rm(folder, { recursive: true, force: true })
    }
  }
}
