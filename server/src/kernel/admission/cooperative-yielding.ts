import { bounds } from '../limits/bounds.ts'

/**
 * Schedules long work cooperatively. All long work of the process shares one time slice in each turn of the event loop. When the slice is
 * used up, work waits, and one waiter resumes in the next turn. Everything else runs in between, so a small request waits for one slice at
 * most.
 */
class Slices {
  readonly #waiting: (() => void)[] = []
  #used = 0
  #isTurning = false

  /** The milliseconds left of the slice in this turn of the event loop. */
  get left(): number {
    return bounds.slice.most - this.#used
  }

  /** Adds time that work has used in this turn. */
  use(milliseconds: number): void {
    this.#used += milliseconds
    this.#turn()
  }

  /** Resolves in a later turn, when this work may resume. */
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

/** Resolves in a later turn of the event loop, when this piece of long work may resume. */
export function yieldToEventLoop(): Promise<void> {
  return slices.next()
}

/** Runs a generator to its end, yielding to the event loop whenever the time slice is used up. */
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

/** Runs a generator to its end without yielding. */
export function atOnce<Result>(work: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
