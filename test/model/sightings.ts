import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Action } from './action.ts'
import type { Kind } from './world.ts'

/** A record as some client saw it last; it may have changed since. */
export interface Sighting {
  readonly id: string
  readonly version: number
  readonly data: JsonObject
}

export interface PartSighting {
  readonly id: string
  readonly owner: string
  readonly version: number
  /** The checklist that a step belongs to. */
  readonly within?: string
}

export type PartKind = 'items' | 'contactActivities' | 'companyActivities' | 'dealActivities' | 'checklists' | 'steps'

/** What all clients together know; they share it, so that they meet on the same records. */
export class Sightings {
  readonly records: Record<Kind, Map<string, Sighting>> = {
    contact: new Map(),
    company: new Map(),
    deal: new Map(),
    task: new Map(),
  }
  readonly parts: Record<PartKind, Map<string, PartSighting>> = {
    items: new Map(),
    contactActivities: new Map(),
    companyActivities: new Map(),
    dealActivities: new Map(),
    checklists: new Map(),
    steps: new Map(),
  }
  /** Every representation of a record that was ever answered. */
  readonly seen: { readonly kind: Kind; readonly data: JsonObject; readonly by: string }[] = []

  see(kind: Kind, data: JsonObject, by: string): void {
    if (typeof data.id !== 'string' || typeof data.version !== 'number' || !('createdAt' in data)) return
    this.seen.push({ kind, data, by })
    const known = this.records[kind].get(data.id)
    if (known !== undefined && known.version > data.version) return
    this.records[kind].set(data.id, { id: data.id, version: data.version, data })
  }

  /** A version that an answer told without the record. */
  hear(id: string, version: unknown): void {
    if (typeof version !== 'number') return
    for (const records of Object.values(this.records)) {
      const known = records.get(id)
      if (known !== undefined && known.version < version) records.set(id, { ...known, version })
    }
  }

  forget(id: string): void {
    for (const records of Object.values(this.records)) records.delete(id)
    for (const parts of Object.values(this.parts)) {
      for (const part of parts.values())
        if (part.owner === id || part.id === id || part.within === id) parts.delete(part.id)
    }
  }

  /** A merge moves them, each with a new version. */
  moveActivities(from: string, into: string): void {
    for (const parts of [this.parts.contactActivities, this.parts.companyActivities])
      for (const part of parts.values())
        if (part.owner === from) parts.set(part.id, { ...part, owner: into, version: part.version + 1 })
  }

  seePart(kind: PartKind, { facts, data, meta }: Action): void {
    const owner = String(facts.owner)
    const within = facts.checklistId === undefined ? {} : { within: String(facts.checklistId) }
    this.parts[kind].set(String(data.id), { id: String(data.id), owner, version: Number(data.version), ...within })
    for (const version of Object.values(isObject(meta) ? meta : {})) this.hear(owner, version)
  }
}
