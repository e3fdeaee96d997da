import { ClientGone, type WhenGone } from '../input/call.ts'
import { bounds } from '../limits/bounds.ts'
import { Overloaded } from './fair-semaphore.ts'

/** A write that waits in a queue. */
export interface QueuedWrite {
  /** Whose write it is: the application or the user. */
  readonly client: string
  /** The size of the body, and the number of records and keys that the write needs. */
  readonly bytes: number
  readonly records: number
  readonly whenGone: WhenGone
  /** The time on the clock of `performance.now()` at which waiting for a slot ends. */
  readonly until: number
  reject(error: unknown): void
}

/** The result of a group: the writes that have to run again. All others are settled, or now run alone. */
export interface GroupEnd<T> {
  /** Writes of a group that failed as a whole. One of them may be the cause, so they run again in smaller groups. */
  readonly failed: readonly T[]
  /** Writes that have to be decided again for a reason outside of them, such as a new configuration. */
  readonly again: readonly T[]
}

/** Runs the writes of a queue. `Place` is a slot at the database. */
export interface GroupRunner<T extends QueuedWrite, Place> {
  /** Waits for a slot until that time. Throws as `FairSemaphore.enter` does. */
  open(until: number): Promise<Place>
  close(place: Place): Promise<void>
  /** Runs one write alone, and settles it. Never throws; resolves to whether an internal error occurred. */
  alone(place: Place, write: T): Promise<boolean>
  /** Runs several writes together, and settles those that it can. Never throws. */
  together(place: Place, writes: readonly T[]): Promise<GroupEnd<T>>
}

/** Observes a queue, for the metrics. */
export interface GroupObserver {
  /** Called when a group has run, except when all its writes have to be decided again. */
  onGroup(size: number, failed: boolean): void
  onStart(seconds: number): void
}

/** Delays the start of each group. The product does not use it; tests use it to let large groups gather. */
export type Hold = () => Promise<unknown>

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

interface Waiter<T> {
  readonly write: T
  readonly since: number
  /** The largest group that it may join next: half the size of its last group, if that failed. */
  most: number
  attempts: number
  stopListening(): void
}

/** The longest that the next group waits for a write that runs alone, which may be waiting for a lock. */
const aloneMilliseconds = 30

/** After so many decisions, a write is treated as if its group had failed. */
const mostAttempts = 3

/**
 * The queue of one organization on this node (docs/adr/0016). Writes that arrive while others are under way wait for them, and then run
 * together. One group runs at a time. An idle queue never delays a write in the hope that others will join.
 */
export class GroupQueue<T extends QueuedWrite, Place> {
  readonly #runner: GroupRunner<T, Place>
  readonly #observer: GroupObserver
  readonly #hold: Hold | null
  readonly #waiting: Waiter<T>[] = []
  /**
   * The clients with a write that failed by itself, and the largest group that each may have. The writes of such a client are
   * grouped apart, so that they do not make the writes of others fail again. The size doubles with each group that does not fail; at the
   * usual size its writes join those of others again.
   */
  readonly #most = new Map<string, number>()
  /** The client of the last group if it is grouped apart, or '' for all others. */
  #last = ''
  #isRunning = false

  constructor(runner: GroupRunner<T, Place>, observer: GroupObserver, hold: Hold | null) {
    this.#runner = runner
    this.#observer = observer
    this.#hold = hold
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Adds a write to the queue. Calls `whenIdle` when the queue is empty. */
  enter(write: T, whenIdle: () => void): void {
    if (this.#waiting.length >= bounds.organizationRequests.most) {
      write.reject(new Overloaded('place'))
      return
    }
    const waiter: Waiter<T> = {
      write,
      since: performance.now(),
      most: bounds.groupRequests.most,
      attempts: 0,
      stopListening() {},
    }
    this.#waiting.push(waiter)
    waiter.stopListening = write.whenGone(() =>
      this.#drop(waiter, new ClientGone('nobody waits for the answer any more')),
    )
    if (this.#isRunning) return
    // The client has already disconnected.
    if (this.#waiting.length === 0) return whenIdle()
    this.#isRunning = true
    // The group starts after this turn of the event loop, so that it includes the writes that sockets deliver in the same turn.
    setImmediate(async () => {
      while (this.#waiting.length > 0) await this.#runNext()
      this.#isRunning = false
      whenIdle()
    })
  }

  /** Rejects the writes that have waited too long. */
  giveUpOverdue(now: number): void {
    for (const waiter of this.#waiting.filter(({ write }) => write.until < now)) {
      this.#drop(waiter, new Overloaded('place'))
    }
  }

  #drop(waiter: Waiter<T>, reason: Error): void {
    const place = this.#waiting.indexOf(waiter)
    if (place === -1) return
    this.#waiting.splice(place, 1)
    waiter.stopListening()
    waiter.write.reject(reason)
  }

  async #runNext(): Promise<void> {
    await this.#hold?.()
    const [first] = this.#waiting
    if (first === undefined) return
    let place: Place
    try {
      place = await this.#runner.open(first.write.until)
    } catch (error) {
      // Without a database no write gets a slot. If only no slot was free, later writes have time left to wait.
      const isFull = error instanceof Overloaded
      const reason = error instanceof Error ? error : new Error('no slot is available', { cause: error })
      for (const waiter of isFull ? [first] : [...this.#waiting]) this.#drop(waiter, reason)
      return
    }
    const group = this.#take()
    const [only] = group
    if (only === undefined) await this.#runner.close(place)
    else if (group.length === 1) await this.#runAlone(only, place)
    else await this.#runTogether(group, place)
  }

  async #runAlone({ write }: Waiter<T>, place: Place): Promise<void> {
    this.#observer.onGroup(1, false)
    let timer: NodeJS.Timeout | undefined
    const isLong = new Promise<void>(resolve => {
      timer = setTimeout(resolve, aloneMilliseconds)
    })
    const ended = this.#runner.alone(place, write).then(hasFailed => this.#noteEnd(write.client, hasFailed, 1))
    await Promise.race([ended, isLong])
    clearTimeout(timer)
  }

  /** Notes the end of a group of one client: whether it failed, and the largest size of its next group in that case. */
  #noteEnd(client: string, hasFailed: boolean, most: number): void {
    const known = this.#most.get(client)
    if (hasFailed) this.#most.set(client, most)
    else if (known !== undefined && known * 2 < bounds.groupRequests.most) this.#most.set(client, known * 2)
    else this.#most.delete(client)
  }

  async #runTogether(group: readonly Waiter<T>[], place: Place): Promise<void> {
    const writes = group.map(({ write }) => write)
    const { failed, again } = await this.#runner.together(place, writes)
    const back = group.filter(({ write }) => failed.includes(write) || again.includes(write))
    const half = Math.max(1, Math.floor(group.length / 2))
    for (const waiter of back) {
      waiter.attempts += 1
      if (failed.includes(waiter.write) || waiter.attempts >= mostAttempts) waiter.most = half
    }
    this.#waiting.unshift(...back)
    if (again.length < group.length) this.#observer.onGroup(group.length, failed.length > 0)
    // A group of several clients does not show which of them made it fail. That shows when the write fails by itself.
    if (this.#last !== '') this.#noteEnd(this.#last, failed.length > 0, half)
  }

  /** The client if its writes have failed and are grouped apart, or '' for all others. */
  #nameOf({ write: { client } }: Waiter<T>): string {
    return this.#most.has(client) ? client : ''
  }

  /** Takes the next group in order of arrival, within the bounds of a group. */
  #take(): readonly Waiter<T>[] {
    // Round robin: a client whose groups always fail delays the others by no more than one group.
    const next = this.#waiting.find(waiter => this.#nameOf(waiter) !== this.#last) ?? this.#waiting[0]
    const name = next === undefined ? '' : this.#nameOf(next)
    this.#last = name
    let most = this.#most.get(name) ?? bounds.groupRequests.most
    let [bytes, records] = [0, 0]
    const group: Waiter<T>[] = []
    for (const waiter of this.#waiting) {
      const { write } = waiter
      if (this.#nameOf(waiter) !== name) continue
      most = Math.min(most, waiter.most)
      bytes += write.bytes
      records += write.records
      const isFull = group.length >= most || bytes > bounds.groupBytes.most || records > bounds.groupRecords.most
      if (isFull && group.length > 0) break
      group.push(waiter)
    }
    const now = performance.now()
    for (const waiter of group) {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      waiter.stopListening()
      if (waiter.attempts === 0) this.#observer.onStart((now - waiter.since) / 1000)
    }
    return group
  }
}
