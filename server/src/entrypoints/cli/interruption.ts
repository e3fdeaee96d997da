const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Turns the first signal into a rejection, so that what a command has started is stopped before the process ends; the
 * second ends it at once.
 */
export class Interruption {
  readonly signal: Promise<never>
  #interrupt: () => void = () => {}
  #seen = false

  constructor() {
    this.signal = new Promise((_, reject) => {
      this.#interrupt = () => {
        if (this.#seen) process.exit(1)
        this.#seen = true
        reject(new Error('interrupted'))
      }
    })
    // Nobody may be waiting yet when it comes.
    this.signal.catch(() => {})
    for (const name of signals) process.on(name, this.#interrupt)
  }

  end(): void {
    for (const name of signals) process.off(name, this.#interrupt)
  }
}
