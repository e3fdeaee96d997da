/** A throttle: runs the work of a name at most once per interval, however often it is called. */
export class Throttle {
  readonly #milliseconds: number
  readonly #most: number
  /** When the work of each name last ran, and a promise of its end; the oldest first. */
  readonly #lately = new Map<string, { readonly at: number; readonly done: Promise<void> }>()

  /** The interval, and how many names are remembered. */
  constructor(milliseconds: number, most: number) {
    this.#milliseconds = milliseconds
    this.#most = most
  }

  /** Resolves when the work is done, by this call or a recent one. Throws its error; then the next call tries again. */
  async do(name: string, now: number, work: () => Promise<void>): Promise<void> {
    const known = this.#lately.get(name)
    if (known !== undefined && now - known.at < this.#milliseconds) return known.done
    this.#lately.delete(name)
    const [oldest] = this.#lately.keys()
    if (oldest !== undefined && this.#lately.size >= this.#most) this.#lately.delete(oldest)
    const doing = { at: now, done: work() }
    this.#lately.set(name, doing)
    try {
      await doing.done
    } catch (error) {
      if (this.#lately.get(name) === doing) this.#lately.delete(name)
      throw error
    }
  }
}
