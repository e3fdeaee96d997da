import { bounds } from '../limits/index.ts'
import type { Database } from '../sql/index.ts'
import { beat, freeLocks, removeWorker, wakeWorkers } from './heartbeat.sql.ts'

const beatMilliseconds = bounds.workerSilence.most / 3

interface Options {
  readonly database: Pick<Database, 'query'>
  readonly version: string
  onFailure(error: unknown): void
  /** Called with the number of jobs of silent workers that were released. */
  onFreed(jobs: number): void
}

/**
 * Sends heartbeats for a worker, and releases the jobs of workers that have gone silent. A worker that cannot send a heartbeat for as long
 * as the others wait for one must stop its work, because the others may take over its jobs.
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

  /** Aborted when the worker is, or may be, taken for dead. The next worker gets a new signal. */
  get alive(): AbortSignal {
    return this.#alive.signal
  }

  /** Releases the locks of all previous workers. Call it only if none of them is alive. */
  async takeOver(): Promise<void> {
    await this.#free(0)
  }

  /** Starts the heartbeats of this worker, which replaces the previous one. */
  start(workerId: string): void {
    this.#workerId = workerId
    this.#isFirst = true
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.#beat(), beatMilliseconds)
    this.#beat()
  }

  /** Stops the heartbeats: other workers may take whatever the worker still has locked. */
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
    // The others count from the moment the heartbeat was written, which is not before it was sent.
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
