import { ClientGone, type WhenGone } from '../call.ts'
import type { BoundName } from '../limits/bounds.ts'

/** Thrown when a bound was reached, or no place came free in time; nothing was executed. */
export class Overloaded extends Error {
  readonly bound: BoundName

  constructor(bound: BoundName) {
    super(`there is no room for more: ${bound}`)
    this.bound = bound
  }
}

export interface TurnstileBounds {
  /** Whose bound it is that refuses. */
  readonly name: BoundName
  /** How many are inside at most. */
  readonly places: number
  /** How many of one name are inside at most. */
  readonly perName: number
  /** How many of one name wait at most. */
  readonly waiting: number
  /** How long one waits at most. */
  readonly milliseconds: number
}

interface Waiter {
  enter(): void
  giveUp(reason: Error): void
  /** Until when it waits, as of `performance`. */
  readonly until: number
}

/** How often is looked for those who wait too long. A timer for each would cost more than the place. */
const watchMilliseconds = 100

interface Gate {
  inside: number
  readonly waiting: Waiter[]
}

/**
 * Lets a limited number in, of each name and in all. The others wait: those of one name in their order, and the names
 * take turns, so that a name with many waiting delays no other one.
 */
export class Turnstile {
  readonly #bounds: TurnstileBounds
  /** Those that are inside or wait; who waits longest for a turn of its name comes first. */
  readonly #gates = new Map<string, Gate>()
  #inside = 0
  /** Runs while somebody waits. */
  #watch: NodeJS.Timeout | undefined

  constructor(bounds: TurnstileBounds) {
    this.#bounds = bounds
  }

  /**
   * Waits for a place, and answers how to leave it. Throws `Overloaded` when there is none in time or too many wait
   * already, and `ClientGone` when `whenGone` tells that nobody waits for the work any more.
   */
  async enter(name: string, whenGone?: WhenGone): Promise<() => void> {
    const gate = this.#gates.get(name) ?? { inside: 0, waiting: [] }
    if (this.#inside < this.#bounds.places && this.#hasPlace(gate)) this.#letIn(name, gate)
    else if (gate.waiting.length >= this.#bounds.waiting) throw new Overloaded(this.#bounds.name)
    else await this.#wait(name, gate, whenGone)
    return () => this.#leave(name)
  }

  /** Does the work in a place; throws as `enter` does. */
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

  #hasPlace({ inside, waiting }: Gate): boolean {
    return inside < this.#bounds.perName && waiting.length === 0
  }

  #letIn(name: string, gate: Gate): void {
    this.#gates.set(name, gate)
    gate.inside += 1
    this.#inside += 1
  }

  #wait(name: string, gate: Gate, whenGone: WhenGone | undefined): Promise<void> {
    this.#gates.set(name, gate)
    this.#watch ??= setInterval(() => this.#giveUpOverdue(), watchMilliseconds).unref()
    return new Promise((resolve, reject) => {
      let stopListening = () => {}
      const waiter: Waiter = {
        until: performance.now() + this.#bounds.milliseconds,
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

  /** The next of the name that has waited longest for a turn; behind it that name comes last. */
  #letNextIn(): void {
    for (const [name, gate] of this.#gates) {
      if (gate.waiting.length === 0 || gate.inside >= this.#bounds.perName) continue
      this.#gates.delete(name)
      this.#letIn(name, gate)
      gate.waiting.shift()?.enter()
      return
    }
  }

  #forgetIfEmpty(name: string, gate: Gate): void {
    if (gate.inside === 0 && gate.waiting.length === 0) this.#gates.delete(name)
  }
}
