import { bounds } from '../limits/bounds.ts'

/**
 * Long work of the process takes turns. In each turn of the event loop it has a slice of time, however many works there
 * are: those that find it used wait, and one of them goes on in the next turn. Everything else runs in between. So a small
 * request waits for one slice at most.
 */
class Slices {
  readonly #waiting: (() => void)[] = []
  #used = 0
  #isTurning = false

  /** How many milliseconds of the slice are left in this turn of the event loop. */
  get left(): number {
    return bounds.slice.most - this.#used
  }

  /** Counts the time that work has taken in this turn. */
  use(milliseconds: number): void {
    this.#used += milliseconds
    this.#turn()
  }

  /** Resolves in a later turn, when this work may go on. */
  next(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      this.#turn()
    })
  }

  #turn(): void {
    if (this.#isTurning) return
    this.#isTurning = true
    setImmediate(() => {
      this.#isTurning = false
      this.#used = 0
      this.#waiting.shift()?.()
      if (this.#waiting.length > 0) this.#turn()
    })
  }
}

const slices = new Slices()

/** Resolves in a later turn of the event loop, when it is the turn of this piece of long work. */
export function yieldToEventLoop(): Promise<void> {
  return slices.next()
}

/** Runs a generator to its end in slices: it waits for its next turn whenever the time of one is used. */
export async function inSlices<Result>(work: Generator<unknown, Result>): Promise<Result> {
  if (slices.left <= 0) await slices.next()
  let began = performance.now()
  for (;;) {
    const { done, value } = work.next()
    const worked = performance.now() - began
    if (!done && worked < slices.left) continue
    slices.use(worked)
    if (done) return value
    await slices.next()
    began = performance.now()
  }
}

/** Runs a generator to its end without pauses. */
export function atOnce<Result>(work: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
