/** Reproducible random choices: the same seed gives the same choices. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to just below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer from `lowest` to `highest`, both included. */
  between(lowest: number, highest: number): number {
    return lowest + Math.floor(this.next() * (highest - lowest + 1))
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)]
    if (item === undefined) throw new Error('the list to choose from is empty')
    return item
  }

  /** A subset of the items, with at most that many. */
  some<Item>(items: readonly Item[], most: number): Item[] {
    return this.shuffled(items).slice(0, this.between(1, most))
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const keyed = items.map(item => ({ item, order: this.next() }))
    return keyed.sort((one, other) => one.order - other.order).map(({ item }) => item)
  }

  /** An independent source, so that the choices of one consumer do not affect those of others. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 32 - 1))
  }
}

/** The seed of a run: that of the environment, or a new one; it is printed, so that a run can be reproduced. */
export function seedOf(name: string): number {
  const seed = Number(process.env[name] ?? Math.floor(Math.random() * 2 ** 32))
  console.log(`${name}=${seed}`)
  return seed
}

/** How often a test repeats its steps; a variable of the environment can raise it. */
export function roundsOf(name: string, usual: number): number {
  return Number(process.env[name] ?? usual)
}
