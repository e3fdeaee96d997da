import type { RecordState, Resource } from '../../record/index.ts'
import { DecideAgain } from '../../sql/index.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { holdersOf } from './gather.ts'
import type { Referrer } from './referrer.ts'

/** A record or nested record together with its next state so far; `next` is null if it is removed. */
export interface Draft {
  readonly resource: Resource
  readonly before: RecordState
  next: RecordState | null
}

/** The next states of many records. A record has one draft, however many of its references change. */
export class Drafts {
  readonly #work: WorkingSet
  readonly #drafts = new Map<string, Draft>()

  constructor(work: WorkingSet) {
    this.#work = work
  }

  /** The draft of a record; null when the record no longer exists. */
  of(resource: Resource, id: string): Draft | null {
    const known = this.#drafts.get(`${resource.kind}:${id}`)
    if (known !== undefined) return known
    const before = this.#work.record(resource.kind, id)
    if (before === null) return null
    const draft = { resource, before, next: before }
    this.#drafts.set(`${resource.kind}:${id}`, draft)
    return draft
  }

  /** The draft of the record at the top, whose lock is held; a record that stands alone is its own top. */
  topOf({ resource, before }: Draft): Draft {
    let [inner, record] = [resource, before]
    while (inner.parent !== null) {
      const parent = this.#work.record(inner.parent.resource.kind, String(record[inner.parent.member]))
      // The nested record was moved to another parent while this transaction waited for the lock.
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

/** Throws `DecideAgain` if a referring nested record was moved meanwhile to another record, which is not locked. */
export function requireTops(referrers: readonly Referrer[], id: string, work: WorkingSet): void {
  const drafts = new Drafts(work)
  for (const referrer of referrers) {
    for (const found of work.read(holdersOf(referrer, id))) {
      const draft = drafts.of(referrer.holder, found.id)
      if (draft !== null) drafts.topOf(draft)
    }
  }
}
