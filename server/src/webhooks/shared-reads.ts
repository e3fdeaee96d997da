interface Gathering<Asked, Found> {
  /** What is asked for, by keys: the same is read once. */
  readonly asked: Map<string | number, Asked>
  readonly found: Promise<Found>
}

/** Reads what is asked for at the same moment in one place, such as by all webhooks that hear of an event, by one statement. */
export class SharedReads<Asked, Found> {
  /** Reads that begin when the running code yields, by place. */
  readonly #gathering = new Map<string, Gathering<Asked, Found>>()

  /** What `read` finds of these entries, and of others that are asked for in this place. All who ask in one place have the same `read`. */
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
