import { bounds } from '../limits/bounds.ts'

/** Small requests come in between, and the database is not kept as busy as it can be. */
const pauseMilliseconds = 1

/**
 * Long work of one process takes turns: in each turn of the event loop one piece of it goes on for a slice of time, and
 * everything else runs in between. However much large work there is, a small request waits for one slice at most.
 */
class Slices {
  readonly #waiting: (() => void)[] = []
  #scheduled = false

  /** Resolves when this work may go on for a slice. */
  next(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setTimeout(() => {
      this.#scheduled = false
      this.#waiting.shift()?.()
      if (this.#waiting.length > 0) this.#schedule()
    }, pauseMilliseconds)
  }
}

const slices = new Slices()

/** Resolves in a later turn of the event loop, when this work is the next of all long work. */
export function nextSlice(): Promise<void> {
  return slices.next()
}

/** Tells a piece of work when its slice is over. */
class Slice {
  #began = performance.now()

  /** Whether the work has run long enough for now. */
  get isOver(): boolean {
    return performance.now() - this.#began >= bounds.slice.most
  }

  /** Gives way to others, and goes on with a new slice. */
  async renew(): Promise<void> {
    await nextSlice()
    this.#began = performance.now()
  }
}

/** Runs work that stops after each small step; it gives way whenever a slice of time is over. */
export async function inSlices<Result>(work: Generator<unknown, Result>): Promise<Result> {
  const slice = new Slice()
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    if (slice.isOver) await slice.renew()
  }
}

/** Runs the same work at once. */
export function atOnce<Result>(work: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
