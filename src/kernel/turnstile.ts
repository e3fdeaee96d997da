interface Gate {
  inside: number
  readonly waiting: (() => void)[]
}

/** Thrown when no place came free in time. */
export class TurnstileTimeout extends Error {}

const waitMilliseconds = 3000

/** Lets a limited number in per name, the others wait in order: one organization cannot hold every connection. */
export class Turnstile {
  readonly #places: number
  readonly #gates = new Map<string, Gate>()

  constructor(places: number) {
    this.#places = places
  }

  async pass<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const gate = this.#gates.get(name) ?? { inside: 0, waiting: [] }
    this.#gates.set(name, gate)
    if (gate.inside >= this.#places) await waitForPlace(gate)
    else gate.inside += 1
    try {
      return await work()
    } finally {
      const next = gate.waiting.shift()
      if (next !== undefined) next()
      else {
        gate.inside -= 1
        if (gate.inside === 0) this.#gates.delete(name)
      }
    }
  }
}

function waitForPlace(gate: Gate): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      gate.waiting.splice(gate.waiting.indexOf(enter), 1)
      reject(new TurnstileTimeout('no connection came free for the organization'))
    }, waitMilliseconds)
    gate.waiting.push(enter)
  })
}
