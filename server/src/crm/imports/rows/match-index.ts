import type { JsonObject } from '../../../kernel/schema/index.ts'
import type { MatchKey } from '../dedup-policy.ts'
import { type MatchValue, matchValuesOf } from './match-values.ts'

interface MatchedRecord extends JsonObject {
  readonly id: string
}

/**
 * The records of a chunk by the values that they are found by. A record that a row has changed is put in again, so that
 * the rows behind it find it as it is then.
 */
export class MatchIndex {
  readonly #ids = new Map<string, Set<string>>()
  readonly #by: readonly MatchKey[]
  readonly #country: string
  readonly #record: (id: string) => MatchedRecord | null

  /** `record` gives a record as it is now; null if it is gone. */
  constructor(by: readonly MatchKey[], country: string, record: (id: string) => MatchedRecord | null) {
    this.#by = by
    this.#country = country
    this.#record = record
  }

  add(record: MatchedRecord): void {
    for (const value of matchValuesOf(record, this.#by, this.#country)) {
      const ids = this.#ids.get(nameOf(value)) ?? new Set()
      this.#ids.set(nameOf(value), ids.add(record.id))
    }
  }

  /** The ids of the records that have one of the values now. */
  find(values: readonly MatchValue[]): readonly string[] {
    const found = values.flatMap(value => [...(this.#ids.get(nameOf(value)) ?? [])].filter(id => this.#has(id, value)))
    return [...new Set(found)]
  }

  #has(id: string, { by, text }: MatchValue): boolean {
    const record = this.#record(id)
    return record !== null && matchValuesOf(record, [by], this.#country).some(value => value.text === text)
  }
}

function nameOf({ by, text }: MatchValue): string {
  return `${by}:${text}`
}
