import { bounds } from '../limits/index.ts'
import type { Database } from '../sql/index.ts'
import { beat, freeLocks, removeWorker, wakeWorkers } from './heartbeat.sql.ts'

const beatMilliseconds = bounds.workerSilence.most / 3

interface Options {
  readonly database: Pick<Database, 'query'>
  readonly version: string
  /** Called with what went wrong, and with how many jobs of silent workers were freed. */
  onFailure(error: unknown): void
  onFreed(jobs: number): void
}

/**
 * Says now and then that a worker lives, and frees the jobs of those that have gone silent. A worker that cannot say so for as long as
 * others wait for it has to stop what it does: its jobs are theirs now.
 */
export class Heartbeat {
  readonly #options: Options
  #workerId: string | null = null
  #isFirst = true
  #timer: NodeJS.Timeout | undefined
  #deadline: NodeJS.Timeout | undefined
  #alive = new AbortController()
  #beating = Promise.resolve()

  constructor(options: Options) {
    this.#options = options
  }

  /** Is aborted when the worker is taken for dead, or may be. What begins later gets a new one. */
  get alive(): AbortSignal {
    return this.#alive.signal
  }

  /** Frees what is locked by all workers before. It is for who knows that none of them lives. */
  async takeOver(): Promise<void> {
    await this.#free(0)
  }

  /** Begins to beat for this worker, instead of the one before. */
  start(workerId: string): void {
    this.#workerId = workerId
    this.#isFirst = true
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.#beat(), beatMilliseconds)
    this.#beat()
  }

  /** Ends the beat: what the worker still has locked is free for others. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    clearTimeout(this.#deadline)
    await this.#beating
    if (this.#workerId !== null) await this.#options.database.query(removeWorker, [this.#workerId])
  }

  #beat(): void {
    this.#beating = this.#beating.then(() => this.#beatOnce()).catch(error => this.#options.onFailure(error))
  }

  async #beatOnce(): Promise<void> {
    const { database, version } = this.#options
    const begin = performance.now()
    const [row] = await database.query(beat, [this.#workerId, version])
    if (row?.known !== true && !this.#isFirst) this.#lose()
    this.#isFirst = false
    clearTimeout(this.#deadline)
    // The others count from the moment at which the beat was written, which is not before it was sent.
    const left = bounds.workerSilence.most - beatMilliseconds / 2 - (performance.now() - begin)
    this.#deadline = setTimeout(() => this.#lose(), left)
    await this.#free(bounds.workerSilence.most / 1000)
  }

  async #free(silentSeconds: number): Promise<void> {
    const { database, onFreed } = this.#options
    const [freed] = await database.query(freeLocks, [silentSeconds])
    const jobs = Number(freed?.jobs)
    if (jobs + Number(freed?.queues) > 0) await database.query(wakeWorkers, [Math.max(1, jobs)])
    if (jobs > 0) onFreed(jobs)
  }

  #lose(): void {
    this.#alive.abort()
    this.#alive = new AbortController()
  }
}
