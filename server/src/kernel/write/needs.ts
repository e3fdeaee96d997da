import type { ExtraNeed, Resource } from '../record/resource.ts'
import type { Reference } from '../schema/index.ts'

/** What a mutation needs locked and loaded before it can be decided; grows as elements add to it. */
export class Needs {
  readonly change = new Map<Resource, References>()
  readonly refer = new Map<Resource, References>()
  /** Keys, each as kind and key, that the decision has to know; created ones are locked. */
  readonly keys = new Map<string, { kind: string; key: string; mayCreate: boolean }>()
  /** Records whose keys of every application are needed. */
  readonly allKeysOf = new Set<string>()
  readonly nested = new Map<Resource, NestedReferences>()
  readonly extras = new Map<string, ExtraNeed>()

  /** A record that the mutation changes. */
  toChange(resource: Resource, reference: Reference): void {
    this.#add(this.change, resource, reference)
  }

  /** A record that must go on existing, without change. */
  toRefer(resource: Resource, reference: Reference): void {
    this.#add(this.refer, resource, reference)
  }

  /** A nested record. What it belongs to at the top has to be needed to change: that lock guards it too. */
  toLoadNested(resource: Resource, id: string): void {
    this.#nestedOf(resource).ids.add(id)
  }

  /** All nested records of a kind that belong to one record. */
  toLoadNestedIn(resource: Resource, parentId: string): void {
    this.#nestedOf(resource).parents.add(parentId)
  }

  #nestedOf(resource: Resource): NestedReferences {
    const references = this.nested.get(resource) ?? { ids: new Set(), parents: new Set() }
    this.nested.set(resource, references)
    return references
  }

  /** A key that the mutation may bring into being. */
  toCreate(kind: string, key: string): void {
    this.keys.set(`${kind}\0${key}`, { kind, key, mayCreate: true })
  }

  /** A key that the decision has to know. */
  toKnow(kind: string, key: string): void {
    const name = `${kind}\0${key}`
    if (!this.keys.has(name)) this.keys.set(name, { kind, key, mayCreate: false })
  }

  toLoad(extras: readonly ExtraNeed[]): void {
    for (const extra of extras) this.extras.set(extra.name, extra)
  }

  #add(targets: Map<Resource, References>, resource: Resource, reference: Reference): void {
    const references = targets.get(resource) ?? { ids: new Set<string>(), keys: new Set<string>() }
    targets.set(resource, references)
    if ('id' in reference) {
      references.ids.add(reference.id.toLowerCase())
      return
    }
    references.keys.add(reference.externalId)
    this.toKnow(resource.kind, reference.externalId)
  }
}

interface NestedReferences {
  readonly ids: Set<string>
  readonly parents: Set<string>
}

export interface References {
  readonly ids: Set<string>
  readonly keys: Set<string>
}
