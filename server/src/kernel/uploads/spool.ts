import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { removeLeftBehind } from '../files/index.ts'

/** How often a process removes leftovers of other processes. A process that only serves requests runs no upkeep. */
const sweptMilliseconds = 3_600_000

/** Stores the files of requests while they are served, in a private folder for each request. */
export class Spool {
  readonly directory: string
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(directory: string) {
    this.directory = directory
  }

  /** Creates a folder that only the user of this process may read. The caller removes it. */
  async open(): Promise<string> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 })
    if (performance.now() - this.#sweptAt > sweptMilliseconds) await this.removeLeftBehind()
    return mkdtemp(join(this.directory, 'request-'))
  }

  /** Removes folders of requests whose process was killed. Resolves to their number. */
  async removeLeftBehind(): Promise<number> {
    this.#sweptAt = performance.now()
    return removeLeftBehind(this.directory)
  }
}
