import { ClientGone, type WhenGone } from '../call.ts'
import { bounds } from '../limits/bounds.ts'
import { Overloaded } from './turnstile.ts'

/** A write that waits in a lane. */
export interface Ticket {
  readonly application: string
  /** The size of the body, and the number of records and keys that are needed. */
  readonly bytes: number
  readonly records: number
  readonly whenGone: WhenGone
  /** The time on the clock of `performance.now()` at which waiting for a place ends. */
  readonly until: number
  reject(error: unknown): void
}

/** What came of a group. Whoever is in none of these lists was settled, or runs alone now. */
export interface GroupEnd<T> {
  /** Those of a group that came to nothing, because one of them or somebody else was in its way. */
  readonly failed: readonly T[]
  /** Those that have to be decided again, and are not to blame for it. */
  readonly again: readonly T[]
}

/** What a lane leads to. `Place` is a place at the database. */
export interface Course<T extends Ticket, Place> {
  /** Waits for a place, until that time. Throws as a turnstile does. */
  open(until: number): Promise<Place>
  close(place: Place): Promise<void>
  /** Runs one by itself, and settles it. Never throws; resolves to whether something went wrong inside. */
  alone(place: Place, ticket: T): Promise<boolean>
  /** Runs several together, and settles those that it can. Never throws. */
  together(place: Place, tickets: readonly T[]): Promise<GroupEnd<T>>
}

/** What is told of a lane as it happens. */
export interface LaneObserver {
  /** A group has run. One of which all have to be decided again counts as not begun. */
  onGroup(size: number, failed: boolean): void
  onStart(seconds: number): void
}

/** Waits before each group. Nothing does in the product: tests have a use for large groups. */
export type Hold = () => Promise<unknown>

interface Waiter<T> {
  readonly ticket: T
  readonly since: number
  /** The most that its next group may have: half of one that failed. */
  most: number
  attempts: number
  stopListening(): void
}

/** A single write may wait for a lock. The next group waits this long for it at most. */
const longestAlone = 30

/** Whoever was decided again so often is treated as if the group had failed. */
const mostAttempts = 3

/**
 * The lane of one organization on this node (docs/adr/0016). Writes that come while others are under way wait for those, and
 * then run together. One group is under way at a time, and nothing waits for company.
 */
export class Lane<T extends Ticket, Place> {
  readonly #course: Course<T, Place>
  readonly #observer: LaneObserver
  readonly #hold: Hold | null
  readonly #waiting: Waiter<T>[] = []
  /**
   * The most in a group of each application whose write has failed by itself. It doubles with each group that does not
   * fail, and until it is that of all, the application has groups of its own: it cannot be in the way of others again.
   */
  readonly #most = new Map<string, number>()
  /** Whose group the last one was: an application that has its own, or all others. */
  #last = ''
  #isRunning = false

  constructor(course: Course<T, Place>, observer: LaneObserver, hold: Hold | null) {
    this.#course = course
    this.#observer = observer
    this.#hold = hold
  }

  get isIdle(): boolean {
    return !this.#isRunning
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Takes part in a next group. Calls `whenIdle` when nobody is left in the lane. */
  enter(ticket: T, whenIdle: () => void): void {
    if (this.#waiting.length >= bounds.organizationRequests.most) {
      ticket.reject(new Overloaded('place'))
      return
    }
    const waiter: Waiter<T> = {
      ticket,
      since: performance.now(),
      most: bounds.groupRequests.most,
      attempts: 0,
      stopListening() {},
    }
    this.#waiting.push(waiter)
    waiter.stopListening = ticket.whenGone(() =>
      this.#drop(waiter, new ClientGone('nobody waits for the answer any more')),
    )
    if (this.#isRunning || this.#waiting.length === 0) return
    this.#isRunning = true
    // What was read from the sockets in the same turn of the event loop comes along.
    setImmediate(async () => {
      while (this.#waiting.length > 0) await this.#runNext()
      this.#isRunning = false
      whenIdle()
    })
  }

  /** Gives up those who have waited too long. */
  giveUpOverdue(now: number): void {
    for (const waiter of this.#waiting.filter(({ ticket }) => ticket.until < now)) {
      this.#drop(waiter, new Overloaded('place'))
    }
  }

  #drop(waiter: Waiter<T>, reason: Error): void {
    const place = this.#waiting.indexOf(waiter)
    if (place === -1) return
    this.#waiting.splice(place, 1)
    waiter.stopListening()
    waiter.ticket.reject(reason)
  }

  async #runNext(): Promise<void> {
    await this.#hold?.()
    const [first] = this.#waiting
    if (first === undefined) return
    let place: Place
    try {
      place = await this.#course.open(first.ticket.until)
    } catch (error) {
      // Without a database nobody gets a place; without a free place those who came later may wait a little longer.
      const isFull = error instanceof Overloaded
      const reason = error instanceof Error ? error : new Error('no place could be had', { cause: error })
      for (const waiter of isFull ? [first] : [...this.#waiting]) this.#drop(waiter, reason)
      return
    }
    const group = this.#take()
    const [only] = group
    if (only === undefined) await this.#course.close(place)
    else if (group.length === 1) await this.#runAlone(only, place)
    else await this.#runTogether(group, place)
  }

  async #runAlone({ ticket }: Waiter<T>, place: Place): Promise<void> {
    this.#observer.onGroup(1, false)
    let timer: NodeJS.Timeout | undefined
    const isLong = new Promise<void>(resolve => {
      timer = setTimeout(resolve, longestAlone)
    })
    const ended = this.#course.alone(place, ticket).then(hasFailed => this.#noteEnd(ticket.application, hasFailed, 1))
    await Promise.race([ended, isLong])
    clearTimeout(timer)
  }

  /** Notes how a group ended that was of one application. */
  #noteEnd(application: string, hasFailed: boolean, most: number): void {
    const known = this.#most.get(application)
    if (hasFailed) this.#most.set(application, most)
    else if (known !== undefined && known * 2 < bounds.groupRequests.most) this.#most.set(application, known * 2)
    else this.#most.delete(application)
  }

  async #runTogether(group: readonly Waiter<T>[], place: Place): Promise<void> {
    const tickets = group.map(({ ticket }) => ticket)
    const { failed, again } = await this.#course.together(place, tickets)
    const back = group.filter(({ ticket }) => failed.includes(ticket) || again.includes(ticket))
    const half = Math.max(1, Math.floor(group.length / 2))
    for (const waiter of back) {
      waiter.attempts += 1
      if (failed.includes(waiter.ticket) || waiter.attempts >= mostAttempts) waiter.most = half
    }
    this.#waiting.unshift(...back)
    if (again.length < group.length) this.#observer.onGroup(group.length, failed.length > 0)
    // Who is to blame for a group of several applications is known when it has failed by itself.
    if (this.#last !== '') this.#noteEnd(this.#last, failed.length > 0, half)
  }

  /** Applications whose writes have failed have groups of their own; those of all others are together. */
  #nameOf({ ticket: { application } }: Waiter<T>): string {
    return this.#most.has(application) ? application : ''
  }

  /** The next group, in the order in which they came, as far as the bounds of a group let them. */
  #take(): readonly Waiter<T>[] {
    // They take turns, so that one whose groups fail again and again delays no other by more than a group.
    const next = this.#waiting.find(waiter => this.#nameOf(waiter) !== this.#last) ?? this.#waiting[0]
    const name = next === undefined ? '' : this.#nameOf(next)
    this.#last = name
    let most = this.#most.get(name) ?? bounds.groupRequests.most
    let [bytes, records] = [0, 0]
    const group: Waiter<T>[] = []
    for (const waiter of this.#waiting) {
      const { ticket } = waiter
      if (this.#nameOf(waiter) !== name) continue
      most = Math.min(most, waiter.most)
      bytes += ticket.bytes
      records += ticket.records
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
