import { ClientGone, type WhenGone } from '../input/call.ts'
import type { BoundName } from '../limits/bounds.ts'

/** Thrown when a bound was reached, or no place came free in time; nothing was executed. */
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
  /** The most that are inside. */
  readonly places: number
  /** The most that are inside under one name, */
  readonly perKey: number
  /** and the most while others come too; as many unless told. */
  readonly perKeyBesideOthers?: number
  /** The most that wait under one name. */
  readonly waiting: number
  /** The longest that one waits. */
  readonly milliseconds: number
}

interface Waiter {
  enter(): void
  giveUp(reason: Error): void
  /** The time at which waiting ends, on the clock of `performance.now()`. */
  readonly until: number
}

/** One interval looks for waiters whose time is over. A timer for each waiter would cost more than the wait itself. */
const watchMilliseconds = 100

/** For how long a name that has come counts as one that comes. */
const presentMilliseconds = 1000

interface Gate {
  inside: number
  readonly waiting: Waiter[]
}

/**
 * Lets a limited number in, under each name and in total. The others wait. Waiters of one name keep their order, and
 * the names take turns, so that a name with many waiters does not delay the other names.
 */
export class FairSemaphore {
  readonly #bounds: SemaphoreBounds
  /** The gate of each name that is inside or waits. The map is ordered: the name whose turn comes next stands first. */
  readonly #gates = new Map<string, Gate>()
  #inside = 0
  /** The name that came last, when that was, and until when several names count as present. */
  #lastName: string | null = null
  #lastCame = Number.NEGATIVE_INFINITY
  #isSharedUntil = Number.NEGATIVE_INFINITY
  /** Set while somebody waits. */
  #watch: NodeJS.Timeout | undefined

  constructor(bounds: SemaphoreBounds) {
    this.#bounds = bounds
  }

  /**
   * Waits for a place; resolves to the function that leaves it. Throws `Overloaded` when no place came free in time or
   * too many wait already, and `ClientGone` when `whenGone` tells that the client is gone. `until` is for who has waited
   * elsewhere already: the time on the clock of `performance.now()` at which waiting ends.
   */
  async enter(name: string, whenGone?: WhenGone, until?: number): Promise<() => void> {
    this.#note(name)
    const gate = this.#gates.get(name) ?? { inside: 0, waiting: [] }
    if (this.#inside < this.#bounds.places && this.#hasPlace(gate)) this.#letIn(name, gate)
    else if (gate.waiting.length >= this.#bounds.waiting) throw new Overloaded(this.#bounds.name)
    else await this.#wait(name, gate, whenGone, until)
    return () => this.#leave(name)
  }

  /** Runs the work in a place; throws as `enter` does. */
  async pass<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(name)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** How many are inside, and how many wait. */
  usage(): { inside: number; waiting: number } {
    let waiting = 0
    for (const gate of this.#gates.values()) waiting += gate.waiting.length
    return { inside: this.#inside, waiting }
  }

  /** Notes that the name has come: beside another one, if that has come shortly before. */
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

  #hasPlace({ inside, waiting }: Gate): boolean {
    return inside < this.#perKey && waiting.length === 0
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
    this.#letNextIn()
  }

  /** Lets waiters in while there are places for them. */
  #letNextIn(): void {
    const perKey = this.#perKey
    while (this.#inside < this.#bounds.places && this.#letOneIn(perKey));
  }

  /** Lets in the first waiter of the name whose turn it is, and puts that name behind all others. */
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
