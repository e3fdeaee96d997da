import type { RecordState, Resource } from '../../record/resource.ts'
import { DecideAgain } from '../../sql/index.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import type { Referrer } from './referrer.ts'

/** A record or nested record on its way to its next state; null: it goes. */
export interface Draft {
  readonly resource: Resource
  readonly before: RecordState
  next: RecordState | null
}

/** Next states of many records, each begun once, however many of its references change. */
export class Drafts {
  readonly #work: WorkingSet
  readonly #drafts = new Map<string, Draft>()

  constructor(work: WorkingSet) {
    this.#work = work
  }

  /** null: there is no such record any more. */
  of(resource: Resource, id: string): Draft | null {
    const known = this.#drafts.get(`${resource.kind}:${id}`)
    if (known !== undefined) return known
    const before = this.#work.record(resource.kind, id)
    if (before === null) return null
    const draft = { resource, before, next: before }
    this.#drafts.set(`${resource.kind}:${id}`, draft)
    return draft
  }

  /** The draft of what a record belongs to at the top, which is locked: of itself where it stands alone. */
  topOf({ resource, before }: Draft): Draft {
    let [inner, record] = [resource, before]
    while (inner.parent !== null) {
      const parent = this.#work.record(inner.parent.resource.kind, String(record[inner.parent.member]))
      // It was moved while the lock of what it belonged to was waited for.
      if (parent === null) throw new DecideAgain(`what ${inner.kind} ${record.id} belongs to was not locked`)
      inner = inner.parent.resource
      record = parent
    }
    const top = this.of(inner, record.id)
    if (top === null) throw new DecideAgain(`${inner.kind} ${record.id} was not locked`)
    return top
  }

  all(): Draft[] {
    return [...this.#drafts.values()]
  }
}

/** Throws `DecideAgain` where a nested record that refers was moved to another record meanwhile, which is not locked. */
export function requireTops(referrers: readonly Referrer[], work: WorkingSet): void {
  const drafts = new Drafts(work)
  for (const { holder, find } of referrers) {
    for (const { id } of work.extra(find.name)) {
      const draft = drafts.of(holder, String(id))
      if (draft !== null) drafts.topOf(draft)
    }
  }
}
