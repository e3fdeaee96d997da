/** How long something that was read of a record may be used, in milliseconds. */
export const freshMilliseconds = 1000

interface Asked {
  readonly id: string
  /** The number of the event for which it is asked. */
  readonly seq: number
  /** The number up to which events are known. */
  readonly readSeq: number
  /** The records that are asked for next. */
  readonly others: readonly string[]
  readonly now: number
}

interface Batch<Found> {
  readonly found: Promise<ReadonlyMap<string, Found>>
  /** Set when it has been read. */
  result: ReadonlyMap<string, Found> | null
  readonly readSeq: number
  readonly at: number
}

/** What is read of records, in batches: with each record those that are asked for next. Each is used once, within a second. */
export class RecordBatches<Found> {
  readonly #batches = new Map<string, Batch<Found>>()

  /** What `read` finds of a record, or has found of it after its event was known; undefined if it finds nothing. */
  async take(asked: Asked, read: (ids: string[]) => Promise<ReadonlyMap<string, Found>>): Promise<Found | undefined> {
    const { id, seq, readSeq, others, now } = asked
    const known = this.#fresh(id, now)
    this.#batches.delete(id)
    if (known !== null && seq <= known.readSeq) return (await known.found).get(id)
    const next = others.filter(other => other !== id && this.#fresh(other, now) === null)
    const batch: Batch<Found> = { found: read([id, ...next]), result: null, readSeq, at: now }
    for (const other of next) this.#batches.set(other, batch)
    try {
      batch.result = await batch.found
    } catch (error) {
      for (const other of next) if (this.#batches.get(other) === batch) this.#batches.delete(other)
      throw error
    }
    return batch.result.get(id)
  }

  /** What was found of a record that was not taken yet; undefined if nothing was. */
  known(id: string): Found | undefined {
    return this.#batches.get(id)?.result?.get(id)
  }

  /** Everything that was found and not taken yet. */
  kept(now: number): Found[] {
    return [...this.#batches.keys()].flatMap(id => {
      const batch = this.#fresh(id, now)
      if (batch === null) this.#batches.delete(id)
      return batch?.result?.get(id) ?? []
    })
  }

  clear(): void {
    this.#batches.clear()
  }

  #fresh(id: string, now: number): Batch<Found> | null {
    const batch = this.#batches.get(id)
    return batch !== undefined && now >= batch.at && now - batch.at < freshMilliseconds ? batch : null
  }
}
