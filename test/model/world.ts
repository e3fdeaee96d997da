import { isDeepStrictEqual } from 'node:util'

export type Kind = 'contact' | 'company' | 'deal' | 'task'

export const plurals: Readonly<Record<Kind, string>> = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  task: 'tasks',
}

/** The modelled members of a record, by the names that answers use. */
export type State = Readonly<Record<string, unknown>>

/** What a change event has to say. */
export interface Event {
  readonly kind: string
  readonly id: string
  readonly operation: string
  readonly version: number
}

/** Something that belongs to a record: an item, an activity, a link, a checklist with its items. */
export type Part = Readonly<Record<string, unknown>>

type PartName = 'items' | 'activities' | 'links' | 'checklists'

/**
 * What the API should hold after some requests, one after the other. A request may touch a record several times; its
 * version rises once, when `finish` is called.
 */
export class World {
  readonly records = new Map<string, { readonly kind: Kind; readonly state: State }>()
  /** Every version that a record ever had, by `<id>@<version>`. */
  readonly history = new Map<string, State>()
  readonly #parts = new Map<string, Map<string, Part>>()
  readonly #touched = new Map<string, State>()
  readonly #removed = new Map<string, string>()
  readonly #created = new Set<string>()

  create(kind: Kind, id: string, state: State): void {
    this.records.set(id, { kind, state: { ...state, id, version: 1 } })
    this.#created.add(id)
  }

  /** The record, or null when there is none. */
  find(id: unknown): State | null {
    return this.records.get(String(id))?.state ?? null
  }

  change(id: string, members: State): void {
    this.#touched.set(id, { ...this.#touched.get(id), ...members })
  }

  remove(id: string, operation: 'deleted' | 'anonymized'): void {
    this.#removed.set(id, operation)
  }

  /** Parts of a record, by their ids, in their order. */
  parts(name: PartName, owner: string): Map<string, Part> {
    const key = `${name} ${owner}`
    const parts = this.#parts.get(key) ?? new Map<string, Part>()
    this.#parts.set(key, parts)
    return parts
  }

  /** Records of a kind, as they are before what was touched since the last `finish`. */
  *all(kind: Kind): Iterable<State & { readonly id: string }> {
    for (const [id, record] of this.records) if (record.kind === kind) yield { ...record.state, id }
  }

  /** Takes over what a request did; the events that it should have left. */
  finish(): Event[] {
    const events: Event[] = []
    for (const id of this.#created) events.push(this.#enter(id, 'created', this.find(id) ?? {}))
    for (const [id, members] of this.#touched) {
      const state = this.find(id)
      if (state === null || this.#removed.has(id) || this.#created.has(id)) continue
      events.push(this.#enter(id, 'updated', { ...state, ...members, version: Number(state.version) + 1 }))
    }
    for (const [id, operation] of this.#removed) {
      const kind = this.records.get(id)?.kind ?? ''
      events.push({ kind, id, operation, version: Number(this.find(id)?.version) + 1 })
      this.records.delete(id)
    }
    for (const each of [this.#touched, this.#removed, this.#created]) each.clear()
    return events
  }

  #enter(id: string, operation: string, state: State): Event {
    const kind = this.records.get(id)?.kind
    if (kind === undefined) throw new Error(`no record ${id}`)
    this.records.set(id, { kind, state })
    this.history.set(`${id}@${state.version}`, state)
    return { kind, id, operation, version: Number(state.version) }
  }
}

/** Members of an answer that are not as the model says: `[member, answered, expected]`. */
export function differences(answered: State, expected: State): unknown[] {
  return Object.entries(expected)
    .filter(([member, value]) => !isSame(answered[member], value))
    .map(([member, value]) => [member, answered[member], value instanceof Set ? [...value] : value])
}

/** The order of members that are sets means nothing. */
function isSame(answered: unknown, expected: unknown): boolean {
  const found = expected instanceof Set && Array.isArray(answered) ? new Set(answered) : answered
  return isDeepStrictEqual(found, expected)
}
