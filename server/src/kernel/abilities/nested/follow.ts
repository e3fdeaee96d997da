import { Refusal, violates } from '../../errors/index.ts'
import type { Nested } from '../../record/define-nested.ts'
import type { NestedStep, RecordState, Resource, WriteContext } from '../../record/resource.ts'
import type { Directory, JsonObject } from '../../schema/index.ts'
import { underBase } from '../../write/accept.ts'
import { raised, type Step } from '../../write/decide.ts'
import { isChanged } from '../../write/facts.ts'
import type { Needs } from '../../write/needs.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { mostAffected } from '../referrers/referrer.ts'

/** A change that a request asks for: of the record with this id, or with the key in the input. */
export interface AskedChange {
  readonly id?: string
  readonly input: JsonObject
}

/**
 * The nested records that follow what a request changes of the record they belong to, as items follow the currency of
 * their deal. They are part of the same version step. One mutation uses it once: `begin` in its `needs`, `load` in its
 * `further`, and `follow` on each step that it decides.
 */
export class Followers {
  readonly #resource: Resource
  readonly #kinds: readonly Nested[]
  readonly #beyond = new Set<string>()
  #directory: Directory | null = null

  constructor(resource: Resource, nestedResources: readonly Nested[]) {
    this.#resource = resource
    this.#kinds = nestedResources.filter(({ parent, rules }) => parent.resource === resource && rules.follow)
  }

  /** Before anything is loaded, at every attempt. */
  begin(directory: Directory): void {
    this.#beyond.clear()
    this.#directory = directory
  }

  /** Asks for what follows, as far as one request may affect; what lies beyond is refused when it is decided. */
  load(needs: Needs, work: WorkingSet, changes: readonly AskedChange[]): boolean {
    const directory = this.#directory
    this.#directory = null
    if (directory === null) return false
    let affected = 0
    let loads = false
    for (const { id, input } of changes) {
      const record = this.#recordOf(work, input, id)
      // Another version is refused anyway.
      if (record === null || record.version !== input.expectedVersion) continue
      for (const kind of this.#kinds) {
        const count = kind.rules.followed?.(record, input, directory) ?? 0
        if (count === 0) continue
        if (affected + count > mostAffected) {
          this.#beyond.add(record.id)
          continue
        }
        affected += count
        loads = true
        needs.toLoadNestedIn(kind, record.id)
      }
    }
    return loads
  }

  /** The step together with what follows from it, or why it may not be (422). */
  follow(step: Step | Refusal, base: string, work: WorkingSet, write: WriteContext): Step | Refusal {
    if (step instanceof Refusal || step.effect === null || this.#kinds.length === 0) return step
    const { before, after } = step.effect
    if (before === null || after === null) return step
    if (this.#beyond.has(after.id)) return tooMany(base)
    const nested: NestedStep[] = []
    for (const kind of this.#kinds) {
      for (const record of work.nestedIn(kind, after.id)) {
        const next = kind.rules.follow?.(record, after, write) ?? record
        if (next instanceof Refusal) return underBase(next, base)
        if (isChanged(kind, record, next))
          nested.push({ resource: kind, before: record, after: raised(record, next, write) })
      }
    }
    if (nested.length === 0) return step
    const record = this.#resource.rules.reflect?.(after, nested, write) ?? after
    return { ...step, record, effect: { ...step.effect, after: record, nested } }
  }

  #recordOf(work: WorkingSet, { externalId }: JsonObject, id: string | undefined): RecordState | null {
    const { kind } = this.#resource
    if (id !== undefined) return work.record(kind, id)
    const mapping = typeof externalId === 'string' ? work.key(kind, externalId) : null
    return mapping?.state === 'live' ? work.record(kind, mapping.resourceId) : null
  }
}

function tooMany(base: string): Refusal {
  const message = `One request may change ${mostAffected} records at most, those that belong to others included`
  return violates(base, 'too_many_links', message, { reason: 'too_many_links', limit: mostAffected })
}
