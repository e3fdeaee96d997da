interface Gathering<Asked, Found> {
  /** The entries to read, by key, so that each is read once. */
  readonly asked: Map<string | number, Asked>
  readonly found: Promise<Found>
}

/** Joins the reads that callers want at the same moment, such as all webhooks that hear of an event, into one statement for each place. */
export class SharedReads<Asked, Found> {
  /** The reads that begin when the running code yields, by place. */
  readonly #gathering = new Map<string, Gathering<Asked, Found>>()

  /** What `read` finds for these entries and for those of other callers in this place. All callers in one place pass the same `read`. */
  take(
    place: string,
    entries: Iterable<readonly [string | number, Asked]>,
    read: (asked: readonly Asked[]) => Promise<Found>,
  ): Promise<Found> {
    const gathering = this.#gathering.get(place) ?? this.#gather(place, read)
    for (const [key, asked] of entries) gathering.asked.set(key, asked)
    return gathering.found
  }

  #gather(place: string, read: (asked: readonly Asked[]) => Promise<Found>): Gathering<Asked, Found> {
    const asked = new Map<string | number, Asked>()
    const found = Promise.resolve().then(() => {
      this.#gathering.delete(place)
      return read([...asked.values()])
    })
    const gathering = { asked, found }
    this.#gathering.set(place, gathering)
    return gathering
  }
}
