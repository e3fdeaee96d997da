/**
 * How a server takes leave of its clients. A balancer that asks `/readyz` gets time to send its requests elsewhere before the server
 * stops to listen; a client that does not ask is told with each answer that its connection ends.
 */
export class Farewell {
  #isAnnounced = false
  #silence = 0

  /** Whether `/readyz` tells that the server stops. Requests are served as before. */
  get isAnnounced(): boolean {
    return this.#isAnnounced
  }

  /** How many milliseconds a connection without a request has to have been silent before a server that stops closes it. */
  get silence(): number {
    return this.#silence
  }

  announce(): void {
    this.#isAnnounced = true
  }

  /** From now on silent connections are left open for so many milliseconds, because others go on serving. */
  waitForSilence(milliseconds: number): void {
    this.#silence = milliseconds
  }
}
