/** The requests that a process has let in since its start. */
export interface Arrivals {
  /** How many were let in. */
  readonly arrived: number
  /** When the last one was, on the clock of `performance.now()`. */
  readonly lastArrival: number
}

/** Most requests have their answer after this time. One that came later than that may still be under way. */
const requestMilliseconds = 10
/** How long the work rests for each request that came meanwhile. */
const restMilliseconds = 2
/** The least share of a part that is done while requests come. */
const leastShare = 0.1

/**
 * The pace of long work for which nobody waits, such as a job, beside the requests that this process serves. The work is done in
 * parts. While requests come, parts become small, and the work rests behind each, as long as it has worked at most. When none
 * come any more, it goes on at its full speed.
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

  /** Begins a part. Work that was interrupted goes on with parts of the size that they had. */
  begin(): void {
    this.#seen = this.#requests.arrived
    this.#begun = performance.now()
  }

  /** How much of a part with this many pieces is to be done next: at least one. */
  partOf(pieces: number): number {
    return Math.max(1, Math.round(pieces * this.#share))
  }

  /** Ends a part, and resolves when the next one may begin. */
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
