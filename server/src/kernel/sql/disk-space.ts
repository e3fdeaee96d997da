import type { Database } from './database.ts'
import { isDiskFull } from './failure.ts'

// Writes two megabytes of a temporary file on the disk of the tables. That needs no privilege and writes nothing to the
// write-ahead log, which must not grow now.
const takeRoom = `
  begin;
  set local temp_tablespaces = '';
  set local work_mem = '64kB';
  select count(*) from generate_series(1, 100000);
  rollback`

const everyMilliseconds = 2000

/**
 * Whether the database has room to write. It is asked only after a write failed for lack of room, until there is room
 * again.
 */
export class DiskSpace {
  readonly #database: Database
  #full = false
  #failedAt = Number.NEGATIVE_INFINITY
  #asked = Number.NEGATIVE_INFINITY
  #answer = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  /** Notes the failure of a request or job; only a full disk matters. */
  note(error: unknown): void {
    if (!isDiskFull(error)) return
    this.#full = true
    this.#failedAt = performance.now()
  }

  /** Whether a write has failed for lack of room in the last so many milliseconds. */
  wasFull(milliseconds: number): boolean {
    return performance.now() - this.#failedAt < milliseconds
  }

  /** Whether the disk is full. However often this is called, the database is asked only now and then. */
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
