import type { Lookup, Resource } from '../record/index.ts'
import type { Reference } from '../schema/index.ts'
import type { Row } from '../sql/index.ts'
import type { WorkingSet } from './working-set.ts'

/** The most records that one request may change because they refer to a changed record or belong to it. */
export const mostAffected = 10_000

/**
 * What a mutation needs locked and loaded before it can be decided. The mutation states all its needs on each call; a need that was stated
 * before is ignored.
 */
export class Needs {
  readonly #known = new Set<string>()
  #round = new Round()
  #followed = 0

  /** Returns the needs added since the last call; null if there are none. */
  take(): Round | null {
    const round = this.#round
    this.#round = new Round()
    return round.isEmpty() ? null : round
  }

  /** A record that the mutation changes. */
  toChange(resource: Resource, reference: Reference): void {
    this.#toLock(this.#round.change, 'change', resource, reference)
  }

  /** A record that the mutation refers to: it must continue to exist, but is not changed. */
  toRefer(resource: Resource, reference: Reference): void {
    this.#toLock(this.#round.refer, 'refer', resource, reference)
  }

  /** A nested record. Its record at the top must be needed `toChange`, because that lock also protects nested records. */
  toLoadNested(resource: Resource, id: string): void {
    if (this.#isNew('nested', resource.kind, id)) nestedOf(this.#round.nested, resource).ids.add(id)
  }

  /** All nested records of a kind that belong to one record. */
  toLoadNestedIn(resource: Resource, parentId: string): void {
    if (this.#isNew('nested in', resource.kind, parentId)) nestedOf(this.#round.nested, resource).parents.add(parentId)
  }

  /**
   * The same for `count` nested records that have to follow a change. They are not loaded if the request would then change more records
   * than it may.
   */
  toFollow(resource: Resource, parentId: string, count: number): void {
    if (this.#known.has(nameOf('nested in', resource.kind, parentId))) return
    if (this.#followed + count > mostAffected) return
    this.#followed += count
    this.toLoadNestedIn(resource, parentId)
  }

  /** A key that the mutation may create. */
  toCreate(kind: string, key: string): void {
    if (this.#isNew('create', kind, key)) this.#round.keys.set(nameOf(kind, key), { kind, key, mayCreate: true })
  }

  /** A key whose record the decision depends on. */
  toKnow(kind: string, key: string): void {
    if (this.#isNew('know', kind, key)) this.#askKey(kind, key)
  }

  /** One more record of a kind with a limited number in an organization: transactions that add one wait for each other. */
  toAdd({ kind }: Pick<Resource, 'kind'>): void {
    if (this.#isNew('add', kind)) this.#round.added.add(kind)
  }

  /** Rows that the decision reads beside records. */
  toLoad(...lookups: readonly Lookup<unknown>[]): void {
    for (const lookup of lookups) if (this.#isNew('lookup', lookup.key)) this.#round.lookups.push(lookup)
  }

  #toLock(targets: Map<Resource, References>, use: string, resource: Resource, reference: Reference): void {
    const isId = 'id' in reference
    const value = isId ? reference.id.toLowerCase() : reference.externalId
    if (!this.#isNew(use, resource.kind, isId ? 'id' : 'key', value)) return
    const references = targets.get(resource) ?? { ids: new Set<string>(), keys: new Set<string>() }
    targets.set(resource, references)
    if (isId) references.ids.add(value)
    else {
      references.keys.add(value)
      // The key is loaded again even if it is known: it may move to another record during the wait for the lock.
      this.#askKey(resource.kind, value)
    }
  }

  #askKey(kind: string, key: string): void {
    const name = nameOf(kind, key)
    if (!this.#round.keys.has(name)) this.#round.keys.set(name, { kind, key, mayCreate: false })
  }

  #isNew(...words: readonly string[]): boolean {
    const name = nameOf(...words)
    if (this.#known.has(name)) return false
    this.#known.add(name)
    return true
  }
}

/** What is locked and loaded together in one round trip. */
export class Round {
  readonly change = new Map<Resource, References>()
  readonly refer = new Map<Resource, References>()
  readonly keys = new Map<string, NeededKey>()
  /** Kinds to which one more record is added. */
  readonly added = new Set<string>()
  readonly nested = new Map<Resource, NestedReferences>()
  readonly lookups: Lookup<unknown>[] = []

  isEmpty(): boolean {
    const { change, refer, keys, added, nested, lookups } = this
    return change.size + refer.size + keys.size + added.size + nested.size + lookups.length === 0
  }

  /** The number of needed records and keys. */
  get size(): number {
    let size = this.keys.size
    for (const { ids, keys } of this.change.values()) size += ids.size + keys.size
    for (const { ids, keys } of this.refer.values()) size += ids.size + keys.size
    for (const { ids, parents } of this.nested.values()) size += ids.size + parents.size
    return size
  }

  /** Adds what another round locks and loads, except the rows that its rules need. */
  include({ change, refer, keys, nested }: Round): void {
    for (const [resource, references] of change) include(this.change, resource, references)
    for (const [resource, references] of refer) include(this.refer, resource, references)
    for (const [name, key] of keys) if (!this.keys.get(name)?.mayCreate) this.keys.set(name, key)
    for (const [resource, { ids, parents }] of nested) {
      const all = nestedOf(this.nested, resource)
      for (const id of ids) all.ids.add(id)
      for (const parent of parents) all.parents.add(parent)
    }
  }
}

export interface NeededKey {
  readonly kind: string
  readonly key: string
  /** Whether the key may be created. Then it is locked, so that no other transaction creates it. */
  readonly mayCreate: boolean
}

interface References {
  readonly ids: Set<string>
  readonly keys: Set<string>
}

interface NestedReferences {
  readonly ids: Set<string>
  readonly parents: Set<string>
}

/** What a record is locked for. */
export type Use = 'change' | 'refer'

/** The locks that a transaction holds on the rows and keys that it needs. */
export class AcquiredLocks {
  /** Rows that were loaded without their lock. */
  readonly #rows = new Set<string>()
  /** Keys that may be created and that another transaction has locked. */
  readonly #keys = new Set<string>()

  /** Notes the rows of a kind: another transaction holds the lock of a loaded row that is not among the locked ones. */
  noteRows(use: Use, kind: string, locked: readonly Row[], loaded: readonly Row[]): void {
    const ids = new Set(locked.map(({ id }) => id))
    for (const { id } of loaded) if (!ids.has(id)) this.#rows.add(nameOf(use, kind, String(id)))
  }

  /** Notes the keys whose locks were requested. */
  noteKeys(keys: readonly NeededKey[], numberOf: (key: NeededKey) => string, tried: readonly Row[]): void {
    const missed = new Set(tried.filter(({ held }) => held !== true).map(({ number }) => String(number)))
    for (const key of keys) if (missed.has(numberOf(key))) this.#keys.add(nameOf(key.kind, key.key))
  }

  /** Whether all locks are held. */
  isAll(): boolean {
    return this.#rows.size + this.#keys.size === 0
  }

  /** Whether all locks that this round needs are held; the round may need only a part of what was locked. */
  covers(round: Round, work: WorkingSet): boolean {
    if (this.isAll()) return true
    for (const { kind, key, mayCreate } of round.keys.values()) {
      if (mayCreate && this.#keys.has(nameOf(kind, key))) return false
    }
    return this.#coversRows('change', round.change, work) && this.#coversRows('refer', round.refer, work)
  }

  #coversRows(use: Use, targets: ReadonlyMap<Resource, References>, work: WorkingSet): boolean {
    for (const [{ kind }, { ids, keys }] of targets) {
      const named = [...keys].flatMap(key => work.key(kind, key)?.resourceId ?? [])
      if ([...ids, ...named].some(id => this.#rows.has(nameOf(use, kind, id)))) return false
    }
    return true
  }
}

function include(targets: Map<Resource, References>, resource: Resource, { ids, keys }: References): void {
  const all = targets.get(resource) ?? { ids: new Set<string>(), keys: new Set<string>() }
  targets.set(resource, all)
  for (const id of ids) all.ids.add(id)
  for (const key of keys) all.keys.add(key)
}

function nestedOf(nested: Map<Resource, NestedReferences>, resource: Resource): NestedReferences {
  const references = nested.get(resource) ?? { ids: new Set(), parents: new Set() }
  nested.set(resource, references)
  return references
}

function nameOf(...words: readonly string[]): string {
  return words.join('\0')
}
