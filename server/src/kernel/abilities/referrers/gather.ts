import type { ExtraNeed } from '../../record/resource.ts'
import { mostAffected, type Needs } from '../../write/needs.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { ancestry } from '../nested/ancestry.ts'
import type { Referrer } from './referrer.ts'

/**
 * Asks for what refers to a record: finds it first, and locks and loads it once it is found; with `other`, also what
 * refers to both. Whoever comes to refer to the record has to lock it before, so under its lock nothing is added to what
 * was found. The kinds that refer are locked after it, in the order of all writers; where a kind refers to itself
 * PostgreSQL may find a deadlock, and the attempt is made again.
 */
export function needReferrers(
  needs: Needs,
  work: WorkingSet,
  referrers: readonly Referrer[],
  id: string,
  other: string | null,
): void {
  needs.toLoad(referrers.map(({ find }) => ({ name: find.name, statement: find, values: [id] })))
  const links = referrers.filter(({ isLink }) => isLink)
  if (other !== null) needs.toLoad(needTwins(links, id, other))
  // Of too many nothing more is loaded, and the plan refuses.
  if (affected(referrers, work) > mostAffected) return
  for (const referrer of referrers) needHolders(needs, referrer, work)
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
