import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** No request lasts so long: a folder that is older was left behind by a process that was killed. */
const leftBehindMilliseconds = 86_400_000

/** Where files of requests are while the requests are served: a private folder for each request. */
export class Spool {
  readonly directory: string
  #swept: Promise<void> | undefined

  constructor(directory: string) {
    this.directory = directory
  }

  /** A new folder, which only this process may read. What is in it, and when it goes, is up to who asked for it. */
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
      // Another process may remove one of its own meanwhile.
      const found = await stat(folder).catch(() => null)
      if (found !== null && found.mtimeMs < oldest) await rm(folder, { recursive: true, force: true })
    }
  }
}
