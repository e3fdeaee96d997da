import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CronItem, JobHelpers, Runner, TaskList, WorkerEvents } from 'graphile-worker'
import { bounds } from '../limits/index.ts'
import type { Services } from '../services.ts'
import { queueLibrary } from '../sql/index.ts'
import { Heartbeat } from './heartbeat.ts'
import type { Job } from './job.ts'
import { JobSlots } from './job-slots.ts'
import { type EndedAttempt, taskOf } from './task.ts'
import { type Removed, runUpkeep, type Upkeep } from './upkeep.ts'

/** Receives the events of a worker, for the log and the metrics. */
export interface WorkerListener {
  onEnd(ended: EndedAttempt): void
  /** A job, the heartbeat or the library has failed; `what` says which of them. */
  onFailure(error: unknown, what: string): void
  onFreed(jobs: number): void
  onUpkeep(done: Required<Removed>): void
}

interface Options {
  readonly services: Services
  readonly jobs: readonly Job[]
  readonly upkeep: readonly Upkeep[]
  /** The version of the product, for the operator. */
  readonly version: string
  readonly listener: WorkerListener
  /** Whether no other process can have a worker on this database, so that locks found at the start have no owner. */
  readonly isAlone?: boolean
}

const restartMilliseconds = 2000

/** The hourly upkeep. The library queues it once for all workers, and at the start if its time has passed meanwhile. */
const hourly: CronItem = {
  task: 'upkeep',
  match: '17 * * * *',
  options: { backfillPeriod: 24 * 60 * 60 * 1000, maxAttempts: 1, queueName: 'upkeep', jobKey: 'upkeep' },
}

/** Runs the jobs of an installation in this process, beside those of other processes, until it is stopped. */
export class Worker {
  readonly #options: Options
  readonly #heartbeat: Heartbeat
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: Options) {
    this.#options = options
    const { services, version, listener } = options
    this.#heartbeat = new Heartbeat({
      database: services.database,
      version,
      onFailure: error => listener.onFailure(error, 'heartbeat'),
      onFreed: listener.onFreed.bind(listener),
    })
  }

  /** Starts the worker. It retries while the database is unavailable. */
  start(): void {
    this.#running ??= this.#keepRunning()
  }

  /** Takes no more jobs, lets running jobs finish their chunk, and resolves when they have. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #keepRunning(): Promise<void> {
    const { listener } = this.#options
    let isAlone = this.#options.isAlone === true
    while (!this.#stopping.signal.aborted) {
      try {
        if (isAlone) await this.#heartbeat.takeOver()
        isAlone = false
        await this.#runUntilStopped()
      } catch (error) {
        listener.onFailure(error, 'worker')
        await pause(restartMilliseconds, this.#stopping.signal)
      }
    }
    const stopped = this.#heartbeat.stop().catch(error => listener.onFailure(error, 'heartbeat'))
    // A database that hangs must not keep the process from ending: the other workers detect that this one is gone.
    await Promise.race([stopped, sleep(restartMilliseconds, undefined, { ref: false })])
  }

  /** Resolves when the worker was stopped. The library also ends by itself, if it could not record the end of a job in the database. */
  async #runUntilStopped(): Promise<void> {
    const library = await queueLibrary()
    const { services, listener } = this.#options
    const events: WorkerEvents = new EventEmitter()
    events.on('pool:create', ({ workerPool }) => this.#heartbeat.start(workerPool.id))
    const runner = await library.run({
      pgPool: services.database.queuePool(),
      taskList: this.#tasks(),
      parsedCronItems: library.parseCronItems([hourly]),
      concurrency: bounds.processJobs.most,
      pollInterval: bounds.queuePoll.most,
      noHandleSignals: true,
      // In batches, even of one job, the library handles a failure to record the end of a job. Otherwise the error is unhandled, and an
      // unavailable database would end this process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      events,
      // The task reports errors of its jobs.
      logger: new library.Logger(() => (level, message, meta) => {
        if (level === 'error' && meta?.failure !== true) listener.onFailure(new Error(message), 'queue')
      }),
    })
    await this.#untilEnded(runner, events)
  }

  /**
   * Waits for the end of running jobs. A job that does not finish its chunk in time is abandoned, and others resume it later. The library
   * is abandoned in the same way: if several jobs fail while the database is unavailable, it begins to stop and never finishes.
   */
  async #untilEnded(runner: Runner, events: WorkerEvents): Promise<void> {
    const { signal } = this.#stopping
    const ended = new AbortController()
    const ending = once(events, 'pool:gracefulShutdown', { signal: ended.signal })
    const late = Promise.race([aborted(signal), ending]).then(async () => {
      runner.stop().catch(() => {})
      await pause(bounds.jobChunk.most, ended.signal)
    })
    try {
      await Promise.race([runner.promise, late])
    } finally {
      ended.abort()
    }
  }

  #tasks(): TaskList {
    const { services, jobs, upkeep, listener } = this.#options
    const signal = () => AbortSignal.any([this.#stopping.signal, this.#heartbeat.alive])
    const places = new JobSlots(
      services.database,
      jobs.map(({ name }) => name),
    )
    const surroundings = { services, places, signal, onEnd: listener.onEnd.bind(listener) }
    const tasks = jobs.map(job => {
      const task = taskOf(job, surroundings)
      return [job.name, (payload: unknown, helpers: JobHelpers) => task(payload, helpers.job)] as const
    })
    const removeOld = async () => {
      const failed = (error: unknown, name: string) => listener.onFailure(error, name)
      listener.onUpkeep(await runUpkeep(upkeep, services, signal(), failed))
    }
    return { ...Object.fromEntries(tasks), [hourly.task]: removeOld }
  }
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : once(signal, 'abort')
}

/** Resolves after the pause, or when the signal is aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {})
}
