/** After so many chunks without a refusal, one more is sent at a time. */
const chunksUntilWider = 10

/**
 * How many chunks are under way at once: half as many after the limit of rates was reached, and one more after each ten chunks, up to
 * the number at the beginning.
 */
export class Pace {
  readonly #most: number
  #width: number
  /** How often it was halved. */
  #halvings = 0
  #untilWider = chunksUntilWider

  constructor(most: number) {
    this.#most = most
    this.#width = most
  }

  get width(): number {
    return this.#width
  }

  /** Begins a chunk; returns what to call each time that it meets the limit. Chunks that were under way together halve it once. */
  begin(): () => void {
    let seen = this.#halvings
    return () => {
      if (seen === this.#halvings) {
        this.#halvings += 1
        this.#width = Math.max(1, Math.floor(this.#width / 2))
      }
      this.#untilWider = chunksUntilWider
      seen = this.#halvings
    }
  }

  /** Ends a chunk that was taken. */
  end(): void {
    this.#untilWider -= 1
    if (this.#untilWider > 0) return
    this.#untilWider = chunksUntilWider
    this.#width = Math.min(this.#most, this.#width + 1)
  }
}
