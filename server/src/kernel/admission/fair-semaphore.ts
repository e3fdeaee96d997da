import { ClientGone, type WhenGone } from '../input/call.ts'
import type { BoundName } from '../limits/bounds.ts'

/** Thrown when a bound is reached, or no slot became free in time. Nothing was executed. */
export class Overloaded extends Error {
  readonly bound: BoundName

  constructor(bound: BoundName) {
    super(`there is no room for more: ${bound}`)
    this.bound = bound
  }
}

export interface SemaphoreBounds {
  /** The bound that a refusal names. */
  readonly name: BoundName
  /** The number of slots. */
  readonly places: number
  /** The most slots that one key may hold. */
  readonly perKey: number
  /** The most slots that one key may hold while other keys are active; `perKey` by default. */
  readonly perKeyBesideOthers?: number
  /** The most waiters for one key. */
  readonly waiting: number
  /** The longest wait. */
  readonly milliseconds: number
}

interface Waiter {
  enter(): void
  giveUp(reason: Error): void
  /** The time at which waiting ends, on the clock of `performance.now()`. */
  readonly until: number
}

/** One interval looks for waiters that have timed out. A timer for each waiter would cost more than the wait itself. */
const watchMilliseconds = 100

/** How long a key counts as active after it has asked for a slot. */
const presentMilliseconds = 1000

interface Gate {
  inside: number
  readonly waiting: Waiter[]
}

/**
 * A semaphore with a bound per key and in total. Waiters of one key are served in order, and keys are served round robin, so that a key
 * with many waiters does not delay the others.
 */
export class FairSemaphore {
  readonly #bounds: SemaphoreBounds
  /** The state of each key that holds a slot or waits for one. The map is ordered: the key to be served next comes first. */
  readonly #gates = new Map<string, Gate>()
  #inside = 0
  /** The last key that asked for a slot, when it did, and until when several keys count as active. */
  #lastName: string | null = null
  #lastCame = Number.NEGATIVE_INFINITY
  #isSharedUntil = Number.NEGATIVE_INFINITY
  /** Set while there are waiters. */
  #watch: NodeJS.Timeout | undefined

  constructor(bounds: SemaphoreBounds) {
    this.#bounds = bounds
  }

  /**
   * Waits for a slot; resolves to the function that releases it. Throws `Overloaded` if no slot became free in time or too many are
   * waiting already, and `ClientGone` if `whenGone` reports that the client has disconnected. `until` is the time on the clock of
   * `performance.now()` at which waiting ends, for a caller that has already waited elsewhere.
   */
  async enter(name: string, whenGone?: WhenGone, until?: number): Promise<() => void> {
    this.#note(name)
    const gate = this.#gates.get(name) ?? { inside: 0, waiting: [] }
    const hasPlace = gate.inside < this.#perKey && gate.waiting.length === 0
    if (this.#inside < this.#bounds.places && hasPlace) this.#letIn(name, gate)
    else if (gate.waiting.length >= this.#bounds.waiting) throw new Overloaded(this.#bounds.name)
    else await this.#wait(name, gate, whenGone, until)
    return () => this.#leave(name)
  }

  /** Runs the work while holding a slot; throws as `enter` does. */
  async pass<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(name)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** The number of slots in use, and the number of waiters. */
  usage(): { inside: number; waiting: number } {
    let waiting = 0
    for (const gate of this.#gates.values()) waiting += gate.waiting.length
    return { inside: this.#inside, waiting }
  }

  /** Notes that the key is active. If another key was active shortly before, several keys count as active. */
  #note(name: string): void {
    const now = performance.now()
    if (name !== this.#lastName && now - this.#lastCame < presentMilliseconds)
      this.#isSharedUntil = now + presentMilliseconds
    this.#lastName = name
    this.#lastCame = now
  }

  get #perKey(): number {
    const { perKey, perKeyBesideOthers = perKey } = this.#bounds
    return performance.now() < this.#isSharedUntil ? perKeyBesideOthers : perKey
  }

  #letIn(name: string, gate: Gate): void {
    this.#gates.set(name, gate)
    gate.inside += 1
    this.#inside += 1
  }

  #wait(name: string, gate: Gate, whenGone: WhenGone | undefined, until: number | undefined): Promise<void> {
    this.#gates.set(name, gate)
    this.#watch ??= setInterval(() => this.#giveUpOverdue(), watchMilliseconds).unref()
    return new Promise((resolve, reject) => {
      let stopListening = () => {}
      const waiter: Waiter = {
        until: until ?? performance.now() + this.#bounds.milliseconds,
        enter() {
          stopListening()
          resolve()
        },
        giveUp: reason => {
          stopListening()
          gate.waiting.splice(gate.waiting.indexOf(waiter), 1)
          this.#forgetIfEmpty(name, gate)
          reject(reason)
        },
      }
      gate.waiting.push(waiter)
      const leave = () => waiter.giveUp(new ClientGone('nobody waits for the answer any more'))
      stopListening = whenGone?.(leave) ?? stopListening
    })
  }

  #giveUpOverdue(): void {
    const now = performance.now()
    const waiting = [...this.#gates.values()].flatMap(gate => gate.waiting)
    for (const waiter of waiting) if (waiter.until < now) waiter.giveUp(new Overloaded(this.#bounds.name))
    if (waiting.length > 0) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  #leave(name: string): void {
    const gate = this.#gates.get(name)
    if (gate === undefined) return
    gate.inside -= 1
    this.#inside -= 1
    this.#forgetIfEmpty(name, gate)
    // Serves waiters while there are free slots.
    const perKey = this.#perKey
    while (this.#inside < this.#bounds.places && this.#letOneIn(perKey));
  }

  /** Serves the first waiter of the key whose turn it is, and moves that key to the end. */
  #letOneIn(perKey: number): boolean {
    for (const [name, gate] of this.#gates) {
      if (gate.waiting.length === 0 || gate.inside >= perKey) continue
      this.#gates.delete(name)
      this.#letIn(name, gate)
      gate.waiting.shift()?.enter()
      return true
    }
    return false
  }

  #forgetIfEmpty(name: string, gate: Gate): void {
    if (gate.inside === 0 && gate.waiting.length === 0) this.#gates.delete(name)
  }
}
