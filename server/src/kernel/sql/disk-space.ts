import type { Database } from './database.ts'
import { isDiskFull } from './failure.ts'

// Two megabytes of a temporary file beside the tables: they need no privilege, and leave nothing in the log of
// PostgreSQL's changes, which must not grow now.
const takeRoom = `
  begin;
  set local temp_tablespaces = '';
  set local work_mem = '64kB';
  select count(*) from generate_series(1, 100000);
  rollback`

const everyMilliseconds = 2000

/** Whether the database has room to write. It is asked only after a write has found none, until there is room again. */
export class DiskSpace {
  readonly #database: Database
  #full = false
  #asked = Number.NEGATIVE_INFINITY
  #answer = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  /** Takes note of why a request failed. */
  note(error: unknown): void {
    if (isDiskFull(error)) this.#full = true
  }

  /** Asks the database now and then, however often it is called itself. */
  async isFull(): Promise<boolean> {
    if (!this.#full) return false
    const now = performance.now()
    if (now - this.#asked >= everyMilliseconds) {
      this.#asked = now
      this.#answer = this.#ask()
    }
    await this.#answer
    return this.#full
  }

  async #ask(): Promise<void> {
    try {
      await this.#database.script(takeRoom)
      this.#full = false
    } catch (error) {
      // What else goes wrong is not about room.
      this.#full = isDiskFull(error)
    }
  }
}
