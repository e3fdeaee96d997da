import { type Course, type Hold, Lane, type LaneObserver, type Ticket } from './lane.ts'

/** One interval looks for waiters whose time is over, as at a turnstile. */
const watchMilliseconds = 100

/** The lanes of a process, one for each organization that writes at the moment. */
export class Lanes implements LaneObserver {
  /** Told of each group, of each start, and of each write that runs alone; metrics use it. */
  observer: LaneObserver & { onAlone(reason: string): void } = { onGroup() {}, onStart() {}, onAlone() {} }
  readonly #lanes = new Map<string, Lane<Ticket, unknown>>()
  /** Names of the idempotency keys that are under way. */
  readonly #keys = new Set<string>()
  readonly #hold: Hold | null
  /** Set while there are lanes. */
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

  /** Lets a ticket take part in a group of its organization. `courseOf` gives the course to a lane that begins. */
  enter<T extends Ticket, Place>(organizationId: string, ticket: T, courseOf: () => Course<T, Place>): void {
    const lane = this.#lanes.get(organizationId) ?? new Lane(courseOf(), this, this.#hold)
    this.#lanes.set(organizationId, lane)
    this.#watch ??= setInterval(() => this.#giveUpOverdue(), watchMilliseconds).unref()
    lane.enter(ticket, () => this.#lanes.delete(organizationId))
    // A client that is gone already leaves the lane as it was.
    if (lane.isIdle) this.#lanes.delete(organizationId)
  }

  /** How many wait in all lanes. */
  get waiting(): number {
    return [...this.#lanes.values()].reduce((count, lane) => count + lane.waiting, 0)
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
    for (const lane of this.#lanes.values()) lane.giveUpOverdue(now)
    if (this.#lanes.size > 0) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }
}
