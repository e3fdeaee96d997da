import { bounds } from '../limits/bounds.ts'

/** The pause between two slices. Small requests run in it, and the database gets some rest. */
const pauseMilliseconds = 1

/**
 * Long work of the process takes turns. In each turn of the event loop one piece of it runs for a slice of time, and
 * everything else runs in between. So a small request waits for one slice at most, however much long work there is.
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

/** Resolves in a later turn of the event loop, when it is the turn of this piece of long work. */
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

  /** Lets others run, and then begins a new slice. */
  async renew(): Promise<void> {
    await nextSlice()
    this.#began = performance.now()
  }
}

/** Runs a generator to its end in slices: it pauses whenever a slice of time is over. */
export async function inSlices<Result>(work: Generator<unknown, Result>): Promise<Result> {
  const slice = new Slice()
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    if (slice.isOver) await slice.renew()
  }
}

/** Runs a generator to its end without pauses. */
export function atOnce<Result>(work: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
