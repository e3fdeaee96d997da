/** What one waits for and others raise. A signal that was raised while nobody waited ends the next wait at once. */
export class Signal {
  #isRaised = false
  #wake: (() => void) | null = null

  raise(): void {
    this.#isRaised = true
    this.#wake?.()
  }

  /** Resolves when the signal is raised, or after this time. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#isRaised) {
      await new Promise<void>(resolve => {
        const late = setTimeout(resolve, Math.max(0, milliseconds))
        this.#wake = () => {
          clearTimeout(late)
          resolve()
        }
      })
    }
    this.#wake = null
    this.#isRaised = false
  }
}
