/**
 * Reads that are under way, by name. A caller that asks for one of them meanwhile gets the same promise, so that what many requests need at
 * once is read once.
 */
export class SingleFlight<Result> {
  readonly #underWay = new Map<string, Promise<Result>>()

  /** The read of that name that is under way, or the one that `begin` begins. It may reject, for all who share it. */
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

  /** What is asked for from now on is read anew: what is under way may have begun before a change. */
  forget(): void {
    this.#underWay.clear()
  }
}
