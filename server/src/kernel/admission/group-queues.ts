import { type GroupObserver, GroupQueue, type GroupRunner, type Hold, type QueuedWrite } from './group-queue.ts'

/** One interval looks for waiters whose time is over, as at a semaphore. */
const watchMilliseconds = 100

/** The groupQueues of a process, one for each organization that writes at the moment. */
export class GroupQueues implements GroupObserver {
  /** Told of each group, of each start, and of each write that runs alone; metrics use it. */
  observer: GroupObserver & { onAlone(reason: string): void } = { onGroup() {}, onStart() {}, onAlone() {} }
  readonly #queues = new Map<string, GroupQueue<QueuedWrite, unknown>>()
  /** Names of the idempotency keys that are under way. */
  readonly #keys = new Set<string>()
  readonly #hold: Hold | null
  /** Set while there are groupQueues. */
  #watch: NodeJS.Timeout | undefined

  constructor(hold: Hold | null = null) {
    this.#hold = hold
  }

  /**
   * Holds an idempotency key, until the function that it gives is called. null if it is held: two requests with one key
   * are never in one group, because a transaction gets its own locks twice.
   */
  holdKey(name: string): (() => void) | null {
    if (this.#keys.has(name)) return null
    this.#keys.add(name)
    return () => this.#keys.delete(name)
  }

  /** Lets a write take part in a group of its organization. `runnerOf` gives the runner to a queue that begins. */
  enter<T extends QueuedWrite, Place>(organizationId: string, write: T, runnerOf: () => GroupRunner<T, Place>): void {
    const queue = this.#queues.get(organizationId) ?? new GroupQueue(runnerOf(), this, this.#hold)
    this.#queues.set(organizationId, queue)
    this.#watch ??= setInterval(() => this.#giveUpOverdue(), watchMilliseconds).unref()
    queue.enter(write, () => this.#queues.delete(organizationId))
    // A client that is gone already leaves the queue as it was.
    if (queue.isIdle) this.#queues.delete(organizationId)
  }

  /** How many wait in all groupQueues. */
  get waiting(): number {
    return [...this.#queues.values()].reduce((count, queue) => count + queue.waiting, 0)
  }

  onGroup(size: number, failed: boolean): void {
    this.observer.onGroup(size, failed)
  }

  onStart(seconds: number): void {
    this.observer.onStart(seconds)
  }

  onAlone(reason: string): void {
    this.observer.onAlone(reason)
  }

  #giveUpOverdue(): void {
    const now = performance.now()
    for (const queue of this.#queues.values()) queue.giveUpOverdue(now)
    if (this.#queues.size > 0) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }
}
