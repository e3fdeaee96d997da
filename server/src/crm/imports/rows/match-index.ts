import type { JsonObject } from '../../../kernel/schema/index.ts'
import type { MatchKey } from '../dedup-policy.ts'
import { heldValuesOf, type MatchValue } from './match-values.ts'

interface MatchedRecord extends JsonObject {
  readonly id: string
}

/**
 * The records of a chunk by the values that find them. A record that a row has changed is indexed again, so that later rows find its new
 * state.
 */
export class MatchIndex {
  readonly #ids = new Map<string, Set<string>>()
  /** The values of each state of a record: computed once, because many rows may be compared with them. */
  readonly #names = new WeakMap<MatchedRecord, ReadonlySet<string>>()
  readonly #by: readonly MatchKey[]
  readonly #country: string
  readonly #record: (id: string) => MatchedRecord | null

  /** `record` returns the current state of a record; null if it was removed. */
  constructor(by: readonly MatchKey[], country: string, record: (id: string) => MatchedRecord | null) {
    this.#by = by
    this.#country = country
    this.#record = record
  }

  add(record: MatchedRecord): void {
    for (const name of this.#namesOf(record)) {
      const ids = this.#ids.get(name) ?? new Set()
      this.#ids.set(name, ids.add(record.id))
    }
  }

  /** The ids of the records that have one of the values now. */
  find(values: readonly MatchValue[]): readonly string[] {
    const names = values.map(nameOf)
    return [...new Set(names.flatMap(name => [...(this.#ids.get(name) ?? [])].filter(id => this.#has(id, name))))]
  }

  #has(id: string, name: string): boolean {
    const record = this.#record(id)
    return record !== null && this.#namesOf(record).has(name)
  }

  #namesOf(record: MatchedRecord): ReadonlySet<string> {
    const known = this.#names.get(record)
    if (known !== undefined) return known
    const names = new Set(heldValuesOf(record, this.#by, this.#country).map(nameOf))
    this.#names.set(record, names)
    return names
  }
}

function nameOf({ by, text }: MatchValue): string {
  return `${by}:${text}`
}
