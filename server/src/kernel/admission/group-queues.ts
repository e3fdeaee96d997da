import { type GroupObserver, GroupQueue, type GroupRunner, type Hold, type QueuedWrite } from './group-queue.ts'

/** One interval looks for waiters that have timed out, as in `FairSemaphore`. */
const watchMilliseconds = 100

/** The queues of a process, one for each organization that is writing at the moment. */
export class GroupQueues {
  /** Called for each group, each start, and each write that runs alone. The metrics set it before the first write. */
  observer: GroupObserver & { onAlone(reason: string): void } = { onGroup() {}, onStart() {}, onAlone() {} }
  readonly #queues = new Map<string, GroupQueue<QueuedWrite, unknown>>()
  /** Names of the idempotency keys that are in use. */
  readonly #keys = new Set<string>()
  readonly #hold: Hold | null
  /** Set while there are queues. */
  #watch: NodeJS.Timeout | undefined

  constructor(hold: Hold | null = null) {
    this.#hold = hold
  }

  /**
   * Reserves an idempotency key until the returned function is called; null if the key is reserved already. Two requests with one key must
   * never be in one group, because a transaction can acquire its own locks twice.
   */
  holdKey(name: string): (() => void) | null {
    if (this.#keys.has(name)) return null
    this.#keys.add(name)
    return () => this.#keys.delete(name)
  }

  /** Adds a write to the queue of its organization. `runnerOf` makes the runner of a new queue. */
  enter<T extends QueuedWrite, Place>(organizationId: string, write: T, runnerOf: () => GroupRunner<T, Place>): void {
    const queue = this.#queues.get(organizationId) ?? new GroupQueue(runnerOf(), this.observer, this.#hold)
    this.#queues.set(organizationId, queue)
    this.#watch ??= setInterval(() => this.#giveUpOverdue(), watchMilliseconds).unref()
    queue.enter(write, () => this.#queues.delete(organizationId))
    // If the client has already disconnected, the queue may still be empty.
    if (queue.isIdle) this.#queues.delete(organizationId)
  }

  /** The number of writes waiting in all queues. */
  get waiting(): number {
    return [...this.#queues.values()].reduce((count, queue) => count + queue.waiting, 0)
  }

  #giveUpOverdue(): void {
    const now = performance.now()
    for (const queue of this.#queues.values()) queue.giveUpOverdue(now)
    if (this.#queues.size > 0) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }
}
