import { ClientGone } from '../call.ts'

/** Thrown when there was no place in time, or when too many wait for one already; nothing was executed. */
export class Overloaded extends Error {}

export interface TurnstileBounds {
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
}

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
  #refused = 0

  constructor(bounds: TurnstileBounds) {
    this.#bounds = bounds
  }

  /**
   * Does the work as soon as there is a place. Throws `Overloaded` when there is none in time, and `ClientGone` when
   * `signal` tells that nobody waits for the work any more before it has begun.
   */
  async pass<Result>(name: string, work: () => Promise<Result>, signal?: () => AbortSignal): Promise<Result> {
    const leave = this.tryEnter(name) ?? (await this.enter(name, signal?.()))
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Enters if there is a place, and answers how to leave; null when one has to wait. */
  tryEnter(name: string): (() => void) | null {
    const gate = this.#gates.get(name)
    if (this.#inside >= this.#bounds.places || (gate !== undefined && !this.#hasPlace(gate))) return null
    if (gate === undefined) this.#gates.set(name, { inside: 1, waiting: [] })
    else gate.inside += 1
    this.#inside += 1
    return () => this.#leave(name)
  }

  /** Waits for a place; throws as `pass` does. */
  async enter(name: string, signal?: AbortSignal): Promise<() => void> {
    const gate = this.#gates.get(name) ?? { inside: 0, waiting: [] }
    if (gate.waiting.length >= this.#bounds.waiting) {
      this.#refused += 1
      throw new Overloaded('too many requests wait already')
    }
    this.#gates.set(name, gate)
    await this.#wait(name, gate, signal)
    return () => this.#leave(name)
  }

  /** How many are inside, how many wait, and how many were refused since the start. */
  usage(): { inside: number; waiting: number; refused: number } {
    let waiting = 0
    for (const gate of this.#gates.values()) waiting += gate.waiting.length
    return { inside: this.#inside, waiting, refused: this.#refused }
  }

  #hasPlace({ inside, waiting }: Gate): boolean {
    return inside < this.#bounds.perName && waiting.length === 0
  }

  #wait(name: string, gate: Gate, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (reason: Error) => {
        end()
        gate.waiting.splice(gate.waiting.indexOf(waiter), 1)
        this.#forgetIfEmpty(name, gate)
        reject(reason)
      }
      const leave = () => giveUp(new ClientGone('nobody waits for the answer any more'))
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      const waiter: Waiter = {
        enter() {
          end()
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#refused += 1
        giveUp(new Overloaded('no place came free in time'))
      }, this.#bounds.milliseconds)
      gate.waiting.push(waiter)
      if (signal?.aborted) leave()
      else signal?.addEventListener('abort', leave, { once: true })
    })
  }

  #leave(name: string): void {
    const gate = this.#gates.get(name)
    if (gate === undefined) return
    gate.inside -= 1
    this.#inside -= 1
    this.#forgetIfEmpty(name, gate)
    this.#letIn()
  }

  /** The next of the name that has waited longest for a turn; behind it that name comes last. */
  #letIn(): void {
    if (this.#inside >= this.#bounds.places) return
    for (const [name, gate] of this.#gates) {
      if (gate.waiting.length === 0 || gate.inside >= this.#bounds.perName) continue
      this.#gates.delete(name)
      this.#gates.set(name, gate)
      gate.inside += 1
      this.#inside += 1
      gate.waiting.shift()?.enter()
      return
    }
  }

  #forgetIfEmpty(name: string, gate: Gate): void {
    if (gate.inside === 0 && gate.waiting.length === 0) this.#gates.delete(name)
  }
}
