import type { Lookup, NestedStep, RecordState, Replacement, Resource } from '../record/index.ts'
import { notFound, type Reference, type Refusal, refuse } from '../schema/index.ts'
import type { Row } from '../sql/index.ts'

/** The record that an application's key identifies, or the tombstone of one. */
export type KeyMapping =
  | { readonly state: 'live'; readonly resourceId: string }
  | { readonly state: 'gone'; readonly resourceId: string; readonly reason: 'deleted' | 'merged' | 'anonymized' }

/** One version step of one record: it combines all changes that a request makes to the record. */
export interface Effect {
  readonly resource: Resource
  readonly before: RecordState | null
  readonly after: RecordState | null
  /** The kind of the change event and the audit entry, if it is not created, updated or deleted. */
  readonly kind?: string
  readonly operation?: 'created' | 'updated' | 'deleted' | 'anonymized' | 'merged'
  /** The names in the change event; computed from the two states by default. */
  readonly changedFields?: readonly string[]
  /** Changes of nested records that belong to the record. */
  readonly nested?: readonly NestedStep[]
  /** How many nested records a statement moved here from another record, by the name of the part. */
  readonly moved?: Readonly<Record<string, number>>
  /** Why the references of the record changed. */
  readonly replaced?: Replacement
  readonly mergedIntoId?: string
  readonly mergedFromId?: string
  /** The request changed the record whatever its version was. */
  readonly overwrites?: true
  /** The record is taken back: its keys become free, and leave no tombstones. */
  readonly freesKeys?: true
}

interface Entry {
  readonly resource: Resource
  readonly before: RecordState | null
  current: RecordState | null
}

/**
 * What a transaction has loaded, and what its decisions have changed so far. It does no I/O.
 *
 * The requests of a group decide on one set of records and keys. Each has a view of it: a request sees the decisions of the earlier ones,
 * but has its own effects and looked-up rows.
 */
export class WorkingSet {
  readonly effects: Effect[] = []
  readonly #entries: Map<string, Entry>
  readonly #referred: Map<string, { gone: boolean }>
  readonly #keys: Map<string, KeyMapping>
  readonly #nestedIn: Set<string>
  /**
   * The names of the nested entries of each record, by their kind and its id, to avoid searching all entries. An entry that has moved to
   * another record is listed for both.
   */
  readonly #parts: Map<string, Set<string>>
  /** The rows of each look-up, by its key. */
  readonly #rows = new Map<string, readonly Row[]>()
  /** The names of the entries that decisions on this view have changed. */
  readonly #taken = new Set<string>()

  /** A view of the records and keys of another working set, or a new set. */
  constructor(shared?: WorkingSet) {
    this.#entries = shared === undefined ? new Map() : shared.#entries
    this.#referred = shared === undefined ? new Map() : shared.#referred
    this.#keys = shared === undefined ? new Map() : shared.#keys
    this.#nestedIn = shared === undefined ? new Set() : shared.#nestedIn
    this.#parts = shared === undefined ? new Map() : shared.#parts
  }

  load(resource: Resource, record: RecordState): void {
    const name = `${resource.kind}:${record.id}`
    this.#entries.set(name, { resource, before: record, current: record })
    this.#notePart(name, resource, record)
  }

  loadReferred(kind: string, id: string, gone: boolean): void {
    this.#referred.set(`${kind}:${id}`, { gone })
  }

  loadKey(kind: string, key: string, mapping: KeyMapping): void {
    this.#keys.set(`${kind}\0${key}`, mapping)
  }

  /** Notes that all nested records of this kind in one parent are loaded. */
  loadNestedIn(resource: Resource, parentId: string): void {
    this.#nestedIn.add(`${resource.kind}:${parentId}`)
  }

  /** Whether all nested records of this kind in one parent are loaded. */
  holdsNestedIn(resource: Resource, parentId: string): boolean {
    return this.#nestedIn.has(`${resource.kind}:${parentId}`)
  }

  /** Forgets a key before it is loaded again. */
  forgetKey(kind: string, key: string): void {
    this.#keys.delete(`${kind}\0${key}`)
  }

  loadRows({ key }: Lookup<unknown>, rows: readonly Row[]): void {
    this.#rows.set(key, rows)
  }

  record(kind: string, id: string): RecordState | null {
    return this.#entries.get(`${kind}:${id}`)?.current ?? null
  }

  key(kind: string, key: string): KeyMapping | null {
    return this.#keys.get(`${kind}\0${key}`) ?? null
  }

  /** The result of a look-up; its result for no rows if it is not loaded yet. */
  read<Value>(lookup: Lookup<Value>): Value {
    return lookup.from(this.rows(lookup))
  }

  rows({ key }: Lookup<unknown>): readonly Row[] {
    return this.#rows.get(key) ?? []
  }

  /** The nested records of one parent, in their current state. */
  nestedIn(resource: Resource, parentId: string): RecordState[] {
    const { member = '' } = resource.parent ?? {}
    const parts: RecordState[] = []
    for (const name of this.#parts.get(`${resource.kind}:${parentId}`) ?? []) {
      const current = this.#entries.get(name)?.current ?? null
      if (current?.[member] === parentId) parts.push(current)
    }
    return parts
  }

  *siblings(kind: string): Iterable<RecordState> {
    for (const { resource, current } of this.#entries.values()) {
      if (resource.kind === kind && current !== null) yield current
    }
  }

  /**
   * The id of the record that a reference in a request identifies. 404 if there is none; 410 if the record was anonymized, or the key is a
   * tombstone. `path` is the path of the reference in the request. `held` is the id or the list of ids that the record refers to already:
   * such a reference may stay although its record was anonymized (contract section 17.27).
   */
  resolve(kind: string, reference: Reference, path?: string, held?: unknown): string | Refusal {
    let id: string
    if ('id' in reference) {
      id = reference.id.toLowerCase()
    } else {
      const mapping = this.key(kind, reference.externalId)
      if (mapping === null) return notFound(path)
      if (mapping.state === 'gone') return goneKey(kind, mapping.reason, path)
      id = mapping.resourceId
    }
    const referred = this.#referred.get(`${kind}:${id}`)
    if (referred?.gone && !holds(held, id)) return refuse('resource_deleted', path === undefined ? {} : { path })
    return referred === undefined && this.record(kind, id) === null ? notFound(path) : id
  }

  /** Applies a decided step, so that later decisions of the transaction see it. */
  apply(effect: Effect): void {
    const { resource, before, after, nested = [] } = effect
    for (const step of [effect, ...nested]) this.take(step)
    const id = (after ?? before)?.id
    const previousKey = before?.externalId ?? null
    const nextKey = after?.externalId ?? null
    if (id !== undefined && previousKey !== nextKey) {
      // The old key is removed only if no other record has received it since.
      const mapping = previousKey === null ? null : this.key(resource.kind, previousKey)
      if (mapping?.resourceId === id) this.#keys.delete(`${resource.kind}\0${previousKey}`)
      if (nextKey !== null) this.#keys.set(`${resource.kind}\0${nextKey}`, { state: 'live', resourceId: id })
    }
    this.effects.push(effect)
  }

  /** Applies one part of a step before the whole step is decided, so that its other parts see it. It is saved with the whole step. */
  take({ resource, before, after }: NestedStep): void {
    const name = `${resource.kind}:${(after ?? before)?.id}`
    const entry = this.#entries.get(name)
    this.#taken.add(name)
    if (entry === undefined) this.#entries.set(name, { resource, before, current: after })
    else entry.current = after
    this.#notePart(name, resource, after)
  }

  #notePart(name: string, { kind, parent }: Resource, record: RecordState | null): void {
    if (parent === null || record === null) return
    const key = `${kind}:${String(record[parent.member])}`
    const names = this.#parts.get(key)
    if (names === undefined) this.#parts.set(key, new Set([name]))
    else names.add(name)
  }

  /** A copy of the current state. Decisions on the copy change nothing here. */
  copy(): WorkingSet {
    const copy = new WorkingSet()
    for (const [name, entry] of this.#entries) copy.#entries.set(name, { ...entry })
    for (const [name, referred] of this.#referred) copy.#referred.set(name, referred)
    for (const [name, mapping] of this.#keys) copy.#keys.set(name, mapping)
    for (const [key, rows] of this.#rows) copy.#rows.set(key, rows)
    for (const name of this.#nestedIn) copy.#nestedIn.add(name)
    for (const [name, parts] of this.#parts) copy.#parts.set(name, new Set(parts))
    for (const name of this.#taken) copy.#taken.add(name)
    copy.effects.push(...this.effects)
    return copy
  }

  /** The records that differ from what was loaded: one entry each, however many steps there were. */
  *changed(): Iterable<Readonly<Entry>> {
    for (const entry of this.#entries.values()) {
      if (entry.before !== entry.current) yield entry
    }
  }

  /** The changed records that decisions on this view have changed. */
  *changedHere(): Iterable<Readonly<Entry>> {
    for (const name of this.#taken) {
      const entry = this.#entries.get(name)
      if (entry !== undefined && entry.before !== entry.current) yield entry
    }
  }

  /** Whether a record differs from what was loaded. */
  hasChanged(kind: string, id: string): boolean {
    const entry = this.#entries.get(`${kind}:${id}`)
    return entry !== undefined && entry.before !== entry.current
  }

  /** Whether no decision on this view has changed anything. */
  isUntouched(): boolean {
    return this.effects.length === 0 && this.#taken.size === 0
  }
}

function holds(held: unknown, id: string): boolean {
  return Array.isArray(held) ? held.includes(id) : held === id
}

/** 410 for a key whose record is gone, with the code for a tombstone or for an anonymized contact. */
export function goneKey(kind: string, reason: 'deleted' | 'merged' | 'anonymized', path?: string): Refusal {
  const details = path === undefined ? { kind } : { kind, path }
  return refuse(reason === 'anonymized' ? 'resource_deleted' : 'external_reference_deleted', details)
}
