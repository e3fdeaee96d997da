/**
 * How a server that stops announces this. A balancer that polls `/readyz` gets time to send its requests elsewhere before the server stops
 * listening; a client that does not poll learns from each answer that its connection closes.
 */
export class Farewell {
  #isAnnounced = false
  #silence = 0

  /** Whether `/readyz` reports that the server is stopping. Requests are served as before. */
  get isAnnounced(): boolean {
    return this.#isAnnounced
  }

  /** For how many milliseconds a connection without a request must have been silent before a stopping server closes it. */
  get silence(): number {
    return this.#silence
  }

  announce(): void {
    this.#isAnnounced = true
  }

  /** From now on silent connections stay open for this many milliseconds, because other processes go on serving. */
  waitForSilence(milliseconds: number): void {
    this.#silence = milliseconds
  }
}
