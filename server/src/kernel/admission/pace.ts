/** The arrivals of requests in a process. */
export interface Arrivals {
  /** The number of requests admitted since the start. */
  readonly arrived: number
  /** The time of the last admission, on the clock of `performance.now()`. */
  readonly lastArrival: number
}

/** The time in which the server answers most requests. A request that arrived within this time may still be running. */
const requestMilliseconds = 10
/** How long the work rests for each request that arrived meanwhile. */
const restMilliseconds = 2
/** The smallest share of a part that is done at once while requests arrive. */
const leastShare = 0.1

/**
 * Throttles long work for which nobody waits, such as a job, in favour of the requests that this process serves. The work is done in
 * parts. While requests arrive, parts become smaller, and the work rests after each for at most as long as it has worked. When no more
 * requests arrive, it returns to full speed.
 */
export class Pace {
  readonly #requests: Arrivals
  #seen = 0
  #begun = 0
  #share = 1

  constructor(requests: Arrivals) {
    this.#requests = requests
    this.begin()
  }

  /** Starts a part. Resumed work keeps its previous part size. */
  begin(): void {
    this.#seen = this.#requests.arrived
    this.#begun = performance.now()
  }

  /** How many of these pieces to do next: at least one. */
  partOf(pieces: number): number {
    return Math.max(1, Math.round(pieces * this.#share))
  }

  /** Ends a part, and resolves when the next one may start. */
  async rest(): Promise<void> {
    const came = this.#requests.arrived - this.#seen
    const worked = performance.now() - this.#begun
    if (came > 0 || this.#isDisturbed()) {
      this.#share = Math.max(leastShare, this.#share / 2)
      const milliseconds = Math.min(worked, Math.max(1, came) * restMilliseconds)
      await new Promise(resolve => setTimeout(resolve, milliseconds))
    } else {
      this.#share = Math.min(1, this.#share * 2)
      await new Promise(resolve => setImmediate(resolve))
    }
    // Requests that came during the rest were not held up by this work.
    this.begin()
  }

  #isDisturbed(): boolean {
    return performance.now() - this.#requests.lastArrival < requestMilliseconds
  }
}
