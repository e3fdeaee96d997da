/** The most ids that are kept of rows that have changed; a list with more is read anew. */
const mostOld = 10_000

/** The rows that have changed on the server since they were read. Those in sight are to be read again at once, the others when they are seen. */
export class OldRows {
  readonly #inSight = new Set<string>()
  readonly #elsewhere = new Set<string>()
  #seen: ReadonlySet<string> = new Set()

  /** Notes that a row has changed. Answers false when that is one too many to keep. */
  add(id: string): boolean {
    if (this.#seen.has(id)) this.#inSight.add(id)
    else this.#elsewhere.add(id)
    return this.#elsewhere.size <= mostOld
  }

  /** Tells which rows are in sight now. */
  see(ids: readonly string[]): void {
    this.#seen = new Set(ids)
    for (const id of this.#inSight) if (!this.#seen.has(id)) this.#elsewhere.add(id)
    this.#inSight.clear()
    for (const id of ids) if (this.#elsewhere.delete(id)) this.#inSight.add(id)
  }

  get isAnyInSight(): boolean {
    return this.#inSight.size > 0
  }

  /** Hands out some of the rows in sight, which are then as good as read. */
  take(most: number): readonly string[] {
    const ids = [...this.#inSight].slice(0, most)
    for (const id of ids) this.#inSight.delete(id)
    return ids
  }

  clear(): void {
    this.#inSight.clear()
    this.#elsewhere.clear()
  }
}

/** How many ids are not among those that are here. */
export function countAbsent(ids: Iterable<string>, here: ReadonlySet<string>): number {
  let count = 0
  for (const id of ids) if (!here.has(id)) count += 1
  return count
}
