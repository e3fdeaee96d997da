import type { Counter } from '../../kernel/index.ts'

/** A name and the points to add to its counter. */
export type Count = readonly [name: string, points: number]

interface Asked {
  readonly count: Count
  readonly resolve: (value: number | null) => void
}

/**
 * Counts in another process. One message at a time is in flight, with all counts that arrived meanwhile: a message per request costs as
 * much processor time as reading a record.
 */
export class CountsElsewhere implements Counter {
  readonly #send: (counts: readonly Count[]) => void
  #underWay: readonly Asked[] = []
  #collected: Asked[] = []
  #isAsking = false

  /** `send` sends counts to the other process; pass its answer to `take`. */
  constructor(send: (counts: readonly Count[]) => void) {
    this.#send = send
  }

  /** Resolves when the other process has answered, which it may never do. The caller bounds how many calls wait, and how long. */
  add(name: string, points: number): Promise<number | null> {
    return new Promise(resolve => {
      this.#collected.push({ count: [name, points], resolve })
      if (this.#isAsking) return
      this.#isAsking = true
      // Counts of the same turn of the event loop are sent together.
      setImmediate(() => this.#ask())
    })
  }

  /** Takes the values of the counters, in the order in which they were sent. */
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
