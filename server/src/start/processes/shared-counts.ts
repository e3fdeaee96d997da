import type { Counter } from '../../kernel/index.ts'

/** A name and the points that are added to its counter. */
export type Count = readonly [name: string, points: number]

interface Asked {
  readonly count: Count
  readonly resolve: (value: number | null) => void
}

/**
 * Lets another process count. One message with all that came meanwhile is under way at a time: a message for each request
 * cost as much processor time as reading a record.
 */
export class CountsElsewhere implements Counter {
  readonly #send: (counts: readonly Count[]) => void
  #underWay: readonly Asked[] = []
  #collected: Asked[] = []
  #isAsking = false

  /** `send` gives counts to the other process, whose answer goes to `take`. */
  constructor(send: (counts: readonly Count[]) => void) {
    this.#send = send
  }

  /** Resolves when the other process has answered, which it may never do. The caller bounds how many wait for that, and how long. */
  add(name: string, points: number): Promise<number | null> {
    return new Promise(resolve => {
      this.#collected.push({ count: [name, points], resolve })
      if (this.#isAsking) return
      this.#isAsking = true
      // Those that come in the same turn go together.
      setImmediate(() => this.#ask())
    })
  }

  /** Takes the values of the counters, in the order of what was asked. */
  take(values: readonly (number | null)[]): void {
    for (const [index, { resolve }] of this.#underWay.entries()) resolve(values[index] ?? null)
    this.#ask()
  }

  #ask(): void {
    this.#underWay = this.#collected
    this.#collected = []
    this.#isAsking = this.#underWay.length > 0
    if (this.#isAsking) this.#send(this.#underWay.map(({ count }) => count))
  }
}

/** Adds to each of these counters, and resolves to their values. */
export function addAll(counter: Counter, counts: readonly Count[]): Promise<(number | null)[]> {
  return Promise.all(counts.map(([name, points]) => counter.add(name, points)))
}
