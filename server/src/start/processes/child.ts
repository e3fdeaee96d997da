import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import { type FromPart, type GivenConnection, isFromPart, type Stop, type ToPart } from './messages.ts'

/** The role of a process of a server. */
export type PartRole = 'api' | 'worker'

/** How a process ended. */
export interface ProcessEnding {
  readonly status: number | null
  readonly signal: string | null
}

/** After SIGTERM, requests have 25 s and jobs 15 s. A process that is still running a while later hangs. */
const patienceMilliseconds = 40_000

/** How often processes are checked. A process without a message for several checks has stalled: this takes at most 2 s. */
export const lookMilliseconds = 250
export const stillLooks = 6

/** A process that this one has started: it answers requests, or works on jobs. */
export class Child {
  readonly role: PartRole
  readonly ended: Promise<ProcessEnding>
  /** Resolves to true when it does its work; to false if it ended before. */
  readonly begun: Promise<boolean>
  /** Whether it does its work, as far as this process knows. */
  isReady = false
  /** Whether it was told to end. */
  isDismissed = false
  /** Whether it has stalled, that is, sent no message for some time: it gets no connections. */
  isStandingStill = false
  readonly #worker: Worker
  readonly #startedAt = performance.now()
  /** How many checks there were since its last message. */
  #looks = 0

  constructor(role: PartRole, onMessage: (message: FromPart) => void) {
    this.role = role
    cluster.setupPrimary({ args: ['serve', '--role', role, '--part'] })
    this.#worker = cluster.fork()
    this.ended = endOf(this.#worker).finally(() => {
      this.isReady = false
    })
    const ready = new Promise<boolean>(resolve => {
      this.#worker.on('message', (message: unknown) => {
        if (!isFromPart(message)) return
        this.#looks = 0
        if (message.crm === 'ready') {
          this.isReady = true
          resolve(true)
        }
        onMessage(message)
      })
    })
    this.begun = Promise.race([ready, this.ended.then(() => false)])
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  get livedMilliseconds(): number {
    return performance.now() - this.#startedAt
  }

  /**
   * Called at a fixed interval; records whether the process has stalled, and returns whether that has changed. It counts checks and not
   * time: if this process itself has stalled, it reads the waiting messages before the next check.
   */
  look(): boolean {
    this.#looks += 1
    const isStandingStill = this.isReady && this.#looks > stillLooks
    const hasChanged = isStandingStill !== this.isStandingStill
    this.isStandingStill = isStandingStill
    return hasChanged
  }

  tell(message: ToPart): void {
    this.#worker.send(message)
  }

  /** Passes it a connection, which this process keeps open too. */
  give(connection: Socket, message: GivenConnection): void {
    this.#worker.send(message, connection, { keepOpen: true })
  }

  /** Tells it to end, and resolves when it has. Before it has begun it does not listen. */
  async dismiss(why: Stop): Promise<void> {
    this.isDismissed = true
    const late = setTimeout(() => this.kill(), patienceMilliseconds)
    if (await this.begun) this.tell({ crm: 'stop', why })
    await this.ended
    clearTimeout(late)
  }

  /** Kills it without notice. */
  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }
}

function endOf(worker: Worker): Promise<ProcessEnding> {
  return new Promise(resolve => {
    worker.once('exit', (status: number | null, signal: string | null) => resolve({ status, signal }))
    worker.on('error', () => {
      // The process could not be started. In the other case a message to a process that has just ended has failed, and its exit code says
      // why.
      if (worker.process.pid === undefined) resolve({ status: null, signal: null })
    })
  })
}
