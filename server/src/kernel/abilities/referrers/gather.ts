import type { ExtraNeed } from '../../record/resource.ts'
import type { Needs } from '../../write/needs.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { ancestry } from '../nested/ancestry.ts'
import { mostAffected, type Referrer } from './referrer.ts'

/** The two rounds of needs that follow references: what refers to a record is found, then locked and loaded. */
export interface Gathering {
  needs(needs: Needs): void
  further(needs: Needs, work: WorkingSet): boolean
}

/**
 * Follows the references to a record; with `other`, those that shall lead to that one. Whoever comes to refer to the
 * record has to lock it before, so under its lock nothing is added to what was found. The kinds that refer are locked
 * after it, in the order of all writers; where a kind refers to itself PostgreSQL may find a deadlock, and the attempt
 * is made again.
 */
export function gatherReferrers(referrers: readonly Referrer[], id: string, other: string | null): Gathering {
  let gathered = false
  return {
    needs(needs) {
      gathered = false
      needs.toLoad(referrers.map(({ find }) => ({ name: find.name, statement: find, values: [id] })))
      const links = referrers.filter(({ isLink }) => isLink)
      if (other !== null) needs.toLoad(needTwins(links, id, other))
    },
    further(needs, work) {
      if (gathered) return false
      gathered = true
      // Too many: nothing more is loaded, the plan says so.
      const count = affected(referrers, work)
      if (count === 0 || count > mostAffected) return false
      for (const referrer of referrers) needHolders(needs, referrer, work)
      return true
    },
  }
}

/** How many records hold a reference that was found. */
export function affected(referrers: readonly Referrer[], work: WorkingSet): number {
  return referrers.reduce((count, { find }) => count + work.extra(find.name).length, 0)
}

function needHolders(needs: Needs, { holder, find, twins, isLink }: Referrer, work: WorkingSet): void {
  const above = ancestry(holder)
  for (const row of work.extra(find.name)) {
    if (holder.parent === null) needs.toChange(holder, { id: String(row.id) })
    else needs.toLoadNested(holder, String(row.id))
    const ids = Array.isArray(row.above) ? row.above : []
    for (const [level, { resource }] of above.entries()) {
      if (resource.parent === null) needs.toChange(resource, { id: String(ids[level]) })
      else needs.toLoadNested(resource, String(ids[level]))
    }
  }
  if (isLink && twins !== null) for (const { id } of work.extra(twins.name)) needs.toLoadNested(holder, String(id))
}

/** Those that refer to `other` where `id` is referred to as well: as links of one parent, or in one list. */
export function needTwins(referrers: readonly Referrer[], id: string, other: string): ExtraNeed[] {
  return referrers.flatMap(({ twins }) =>
    twins === null ? [] : [{ name: twins.name, statement: twins, values: [id, other] }],
  )
}

/** How many holders refer to a record, beyond what can be followed too; each under `countName`. */
export function countReferrers(referrers: readonly Referrer[], id: string): ExtraNeed[] {
  return referrers.map(referrer => ({ name: countName(referrer, id), statement: referrer.count, values: [id] }))
}

/** Where the count of one referrer is found in the working set. */
export function countName({ count }: Referrer, id: string): string {
  return `${count.name} ${id}`
}
