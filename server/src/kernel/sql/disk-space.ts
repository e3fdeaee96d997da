import type { Database } from './database.ts'
import { isDiskFull } from './failure.ts'

// Writes a temporary file of two megabytes on the disk of the tables. This needs no privilege and writes nothing to the write-ahead log,
// which must not grow now.
const takeRoom = `
  begin;
  set local temp_tablespaces = '';
  set local work_mem = '64kB';
  select count(*) from generate_series(1, 100000);
  rollback`

const everyMilliseconds = 2000

/** Whether the database has free disk space. It is checked only after a write failed for lack of space, until there is space again. */
export class DiskSpace {
  readonly #database: Database
  #full = false
  #failedAt = Number.NEGATIVE_INFINITY
  #asked = Number.NEGATIVE_INFINITY
  #answer = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  /** Records the failure of a request or job; only a full disk matters. */
  note(error: unknown): void {
    if (!isDiskFull(error)) return
    this.#full = true
    this.#failedAt = performance.now()
  }

  /** Whether a write failed for lack of space within the last `milliseconds`. */
  wasFull(milliseconds: number): boolean {
    return performance.now() - this.#failedAt < milliseconds
  }

  /** Whether the disk is full. Throttled: however often it is called, the database is queried only at intervals. */
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
      // Any other failure does not mean that the disk is full.
      this.#full = isDiskFull(error)
    }
  }
}
