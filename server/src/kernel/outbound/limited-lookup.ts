import type { AddressLookup } from './checked-destination.ts'

/** A look-up that takes longer makes its name a slow one, until it is found sooner. */
const slowMilliseconds = 1000

const mostSlowNames = 1000

/** Lets a few in at a time; the others wait in their order. */
class Gate {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>(resolve => void this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}

/**
 * Makes at most `most` look-ups at a time. The operating system keeps one of the few threads of the process busy with each until it ends,
 * and cannot cancel it. So concurrent requests for a name share one look-up, and names that were slow are looked up one at a time.
 */
export function limitedLookup(lookup: AddressLookup, most: number): AddressLookup {
  const underWay = new Map<string, ReturnType<AddressLookup>>()
  const slowNames = new Set<string>()
  const [all, slow] = [new Gate(most), new Gate(1)]

  async function find(name: string): ReturnType<AddressLookup> {
    slowNames.delete(name)
    const late = setTimeout(() => slowNames.add(name), slowMilliseconds).unref()
    try {
      return await lookup(name)
    } finally {
      clearTimeout(late)
      for (const oldest of slowNames) if (slowNames.size > mostSlowNames) slowNames.delete(oldest)
    }
  }

  function begin(name: string): ReturnType<AddressLookup> {
    const found = slowNames.has(name) ? slow.pass(() => all.pass(() => find(name))) : all.pass(() => find(name))
    const ended = found.finally(() => underWay.delete(name))
    underWay.set(name, ended)
    return ended
  }

  return name => underWay.get(name) ?? begin(name)
}
