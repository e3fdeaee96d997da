import type { ExtraNeed, Resource } from '../record/resource.ts'
import type { Reference } from '../schema/index.ts'

/** Records that one request may change because they refer or belong to another one that it changes. */
export const mostAffected = 10_000

/**
 * What a mutation needs locked and loaded before it can be decided. A mutation says all that it needs every time it is
 * asked; what was asked for before is not asked for again.
 */
export class Needs {
  readonly #known = new Set<string>()
  #round = new Round()
  #followed = 0

  /** What was added since the last time; null when nothing was. */
  take(): Round | null {
    const round = this.#round
    this.#round = new Round()
    return round.isEmpty() ? null : round
  }

  /** A record that the mutation changes. */
  toChange(resource: Resource, reference: Reference): void {
    this.#toLock(this.#round.change, 'change', resource, reference)
  }

  /** A record that must go on existing, without change. */
  toRefer(resource: Resource, reference: Reference): void {
    this.#toLock(this.#round.refer, 'refer', resource, reference)
  }

  /** A nested record. The record at the top has to be needed `toChange`, because its lock protects nested records too. */
  toLoadNested(resource: Resource, id: string): void {
    if (this.#isNew('nested', resource.kind, id)) nestedOf(this.#round.nested, resource).ids.add(id)
  }

  /** All nested records of a kind that belong to one record. */
  toLoadNestedIn(resource: Resource, parentId: string): void {
    if (this.#isNew('nested in', resource.kind, parentId)) nestedOf(this.#round.nested, resource).parents.add(parentId)
  }

  /** The same, of `count` records that are to change too; not where one request would then change more than it may. */
  toFollow(resource: Resource, parentId: string, count: number): void {
    if (this.#known.has(nameOf('nested in', resource.kind, parentId))) return
    if (this.#followed + count > mostAffected) return
    this.#followed += count
    this.toLoadNestedIn(resource, parentId)
  }

  /** A key that the mutation may bring into being. */
  toCreate(kind: string, key: string): void {
    if (this.#isNew('create', kind, key)) this.#round.keys.set(nameOf(kind, key), { kind, key, mayCreate: true })
  }

  /** A key that the decision has to know. */
  toKnow(kind: string, key: string): void {
    if (this.#isNew('know', kind, key)) this.#askKey(kind, key)
  }

  /** The keys that every application has for this record. */
  toLoadAllKeysOf(id: string): void {
    if (this.#isNew('keys of', id)) this.#round.allKeysOf.add(id)
  }

  /** Rows that rules ask for, by their name. */
  toLoad(extras: readonly ExtraNeed[]): void {
    for (const extra of extras) if (this.#isNew('extra', extra.name)) this.#round.extras.push(extra)
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
      // Also when it is known: while this waits for the row, the key may move to another one.
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

/** What is locked and loaded together, in one round trip. */
export class Round {
  readonly change = new Map<Resource, References>()
  readonly refer = new Map<Resource, References>()
  readonly keys = new Map<string, NeededKey>()
  readonly allKeysOf = new Set<string>()
  readonly nested = new Map<Resource, NestedReferences>()
  readonly extras: ExtraNeed[] = []

  isEmpty(): boolean {
    const { change, refer, keys, allKeysOf, nested, extras } = this
    return change.size + refer.size + keys.size + allKeysOf.size + nested.size + extras.length === 0
  }
}

export interface NeededKey {
  readonly kind: string
  readonly key: string
  /** It is locked, so that no other transaction brings it into being. */
  readonly mayCreate: boolean
}

export interface References {
  readonly ids: Set<string>
  readonly keys: Set<string>
}

interface NestedReferences {
  readonly ids: Set<string>
  readonly parents: Set<string>
}

function nestedOf(nested: Map<Resource, NestedReferences>, resource: Resource): NestedReferences {
  const references = nested.get(resource) ?? { ids: new Set(), parents: new Set() }
  nested.set(resource, references)
  return references
}

function nameOf(...words: readonly string[]): string {
  return words.join('\0')
}
