import type { NestedStep, RecordState, Replacement, Resource } from '../record/resource.ts'
import { notFound, type Reference, type Refusal, refuse } from '../schema/index.ts'
import type { Row } from '../sql/index.ts'

/** What an application's key stands for. */
export type KeyMapping =
  | { readonly state: 'live'; readonly resourceId: string }
  | { readonly state: 'gone'; readonly resourceId: string; readonly reason: 'deleted' | 'merged' | 'anonymized' }

/** One version step of one record: all changes that a request makes of the record are combined in it. */
export interface Effect {
  readonly resource: Resource
  readonly before: RecordState | null
  readonly after: RecordState | null
  /** Word of the change event and the audit entry; created, updated or deleted unless told. */
  readonly kind?: string
  readonly operation?: 'created' | 'updated' | 'deleted' | 'anonymized' | 'merged'
  /** Names in the change event; computed from the two states unless told. */
  readonly changedFields?: readonly string[]
  /** Changes of nested records that belong to the record. */
  readonly nested?: readonly NestedStep[]
  /** Why the record refers to something else now. */
  readonly replaced?: Replacement
  readonly mergedIntoId?: string
  readonly mergedFromId?: string
}

interface Entry {
  readonly resource: Resource
  readonly before: RecordState | null
  current: RecordState | null
}

/** What a transaction has loaded, and what its decisions have made of it so far. No I/O. */
export class WorkingSet {
  readonly effects: Effect[] = []
  readonly #entries = new Map<string, Entry>()
  readonly #referred = new Map<string, { gone: boolean }>()
  readonly #keys = new Map<string, KeyMapping>()
  readonly #extras = new Map<string, readonly Row[]>()
  readonly #nestedIn = new Set<string>()

  load(resource: Resource, record: RecordState): void {
    this.#entries.set(`${resource.kind}:${record.id}`, { resource, before: record, current: record })
  }

  loadReferred(kind: string, id: string, gone: boolean): void {
    this.#referred.set(`${kind}:${id}`, { gone })
  }

  loadKey(kind: string, key: string, mapping: KeyMapping): void {
    this.#keys.set(`${kind}\0${key}`, mapping)
  }

  /** Marks all nested records of a kind that one record has as loaded. */
  loadNestedIn(resource: Resource, parentId: string): void {
    this.#nestedIn.add(`${resource.kind}:${parentId}`)
  }

  /** Whether all nested records of a kind that one record has were loaded. */
  holdsNestedIn(resource: Resource, parentId: string): boolean {
    return this.#nestedIn.has(`${resource.kind}:${parentId}`)
  }

  /** Before a key is loaded again. */
  forgetKey(kind: string, key: string): void {
    this.#keys.delete(`${kind}\0${key}`)
  }

  loadExtra(name: string, rows: readonly Row[]): void {
    this.#extras.set(name, rows)
  }

  record(kind: string, id: string): RecordState | null {
    return this.#entries.get(`${kind}:${id}`)?.current ?? null
  }

  key(kind: string, key: string): KeyMapping | null {
    return this.#keys.get(`${kind}\0${key}`) ?? null
  }

  extra(name: string): readonly Row[] {
    return this.#extras.get(name) ?? []
  }

  /** Records of a nested kind that belong to one record, as they are now. */
  nestedIn(resource: Resource, parentId: string): RecordState[] {
    const { member = '' } = resource.parent ?? {}
    return [...this.siblings(resource.kind)].filter(record => record[member] === parentId)
  }

  *siblings(kind: string): Iterable<RecordState> {
    for (const { resource, current } of this.#entries.values()) {
      if (resource.kind === kind && current !== null) yield current
    }
  }

  /**
   * The id that a reference in a request stands for: 404 when there is none, 410 when it was anonymized (by id or
   * key) or its key is a tombstone. `path` is the place in the request. What `held`, an id or a list of ids, refers to
   * already may stay by its id although it was anonymized (contract section 17.27).
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

  /** Takes a decided step over, so that later decisions of the same transaction see it. */
  apply(effect: Effect): void {
    const { resource, before, after, nested = [] } = effect
    for (const step of [effect, ...nested]) this.take(step)
    const id = (after ?? before)?.id
    const previousKey = before?.externalId ?? null
    const nextKey = after?.externalId ?? null
    if (id !== undefined && previousKey !== nextKey) {
      // A key that another record has got since is left where it is.
      const mapping = previousKey === null ? null : this.key(resource.kind, previousKey)
      if (mapping?.resourceId === id) this.#keys.delete(`${resource.kind}\0${previousKey}`)
      if (nextKey !== null) this.#keys.set(`${resource.kind}\0${nextKey}`, { state: 'live', resourceId: id })
    }
    this.effects.push(effect)
  }

  /** Takes a part of a step over before all of it is decided: its other parts see it. It is saved with the whole. */
  take({ resource, before, after }: NestedStep): void {
    const name = `${resource.kind}:${(after ?? before)?.id}`
    const entry = this.#entries.get(name)
    if (entry === undefined) this.#entries.set(name, { resource, before, current: after })
    else entry.current = after
  }

  /** Records that are not as they were loaded: one row change each, however many steps there were. */
  *changed(): Iterable<Readonly<Entry>> {
    for (const entry of this.#entries.values()) {
      if (entry.before !== entry.current) yield entry
    }
  }
}

function holds(held: unknown, id: string): boolean {
  return Array.isArray(held) ? held.includes(id) : held === id
}

/** 410 for a key whose record is gone: the tombstone's code, or that of an anonymized contact. */
export function goneKey(kind: string, reason: 'deleted' | 'merged' | 'anonymized', path?: string): Refusal {
  const details = path === undefined ? { kind } : { kind, path }
  return refuse(reason === 'anonymized' ? 'resource_deleted' : 'external_reference_deleted', details)
}
