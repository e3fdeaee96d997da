/** A process that ends within this time has ended soon. */
const soonMilliseconds = 60_000
const firstMilliseconds = 250
const longestMilliseconds = 30_000
/** So many times in a row: whatever ends it will not pass by itself. */
const mostInRow = 5

/** How long the place of a process stays empty after its end: not at all the first time, and longer each time that it ends soon. */
export class RestartBackoff {
  #inRow = 0

  /** Whether starting it again has not helped so far. */
  get isInVain(): boolean {
    return this.#inRow >= mostInRow
  }

  /** The pause after a process that lived that long, in milliseconds. */
  after(livedMilliseconds: number): number {
    if (livedMilliseconds >= soonMilliseconds) this.#inRow = 0
    const pause = this.#inRow === 0 ? 0 : firstMilliseconds * 2 ** (this.#inRow - 1)
    this.#inRow += 1
    return Math.min(pause, longestMilliseconds)
  }
}
