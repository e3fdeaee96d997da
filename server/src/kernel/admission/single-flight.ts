/**
 * Reads under way, by name. A caller that requests one of them meanwhile gets the same promise, so that data that many requests need at
 * once is read once.
 */
export class SingleFlight<Result> {
  readonly #underWay = new Map<string, Promise<Result>>()

  /** Returns the read of that name that is under way, or starts one with `begin`. It may reject, for all callers that share it. */
  read(name: string, begin: () => Promise<Result>): Promise<Result> {
    const begun = this.#underWay.get(name)
    if (begun !== undefined) return begun
    const reading = begin()
    this.#underWay.set(name, reading)
    const end = () => {
      if (this.#underWay.get(name) === reading) this.#underWay.delete(name)
    }
    reading.then(end, end)
    return reading
  }

  /** Makes later calls start a new read: a read that is under way may have started before a change. */
  forget(): void {
    this.#underWay.clear()
  }
}
