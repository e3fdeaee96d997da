/** A process that ends within this time counts as failed early. */
const soonMilliseconds = 60_000
const firstMilliseconds = 250
const longestMilliseconds = 30_000
/** After this many early failures in a row, the cause is not temporary. */
const mostInRow = 5

/** The backoff before a process is restarted: none the first time, and longer after each early failure in a row. */
export class RestartBackoff {
  #inRow = 0

  /** Whether restarts have not helped so far. */
  get isInVain(): boolean {
    return this.#inRow >= mostInRow
  }

  /** The pause after a process that ran for this long, in milliseconds. */
  after(livedMilliseconds: number): number {
    if (livedMilliseconds >= soonMilliseconds) this.#inRow = 0
    const pause = this.#inRow === 0 ? 0 : firstMilliseconds * 2 ** (this.#inRow - 1)
    this.#inRow += 1
    return Math.min(pause, longestMilliseconds)
  }
}
