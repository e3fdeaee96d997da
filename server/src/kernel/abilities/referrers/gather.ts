import type { ExtraNeed } from '../../record/resource.ts'
import { mostAffected, type Needs } from '../../write/needs.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { ancestry } from '../nested/ancestry.ts'
import type { Referrer } from './referrer.ts'

/**
 * Needs everything that refers to a record: first finds the holders, then locks and loads them. With `other`, also
 * finds the holders that refer to both. A new reference to the record needs a lock on it first, so while this
 * transaction holds that lock no holder is added. The holders are locked after the record, in the order that all
 * actors keep. If a kind refers to itself PostgreSQL may find a deadlock, and the attempt starts over.
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
  // If there are too many, nothing more is loaded and the plan refuses.
  if (affected(referrers, work) > mostAffected) return
  for (const referrer of referrers) needHolders(needs, referrer, work)
}

/** How many holders of a reference were found. */
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

/**
 * Finds the holders that refer to `other` where another one refers to `id`: links of the same parent, or items of the
 * same list.
 */
export function needTwins(referrers: readonly Referrer[], id: string, other: string): ExtraNeed[] {
  return referrers.flatMap(({ twins }) =>
    twins === null ? [] : [{ name: twins.name, statement: twins, values: [id, other] }],
  )
}

/**
 * Counts all holders that refer to a record, also above the limit of what one request may change; each count has the
 * name `countName`.
 */
export function countReferrers(referrers: readonly Referrer[], id: string): ExtraNeed[] {
  return referrers.map(referrer => ({ name: countName(referrer, id), statement: referrer.count, values: [id] }))
}

/** The name of a referrer's count in the working set. */
export function countName({ count }: Referrer, id: string): string {
  return `${count.name} ${id}`
}

/** Counts the files of the records that refer to a record; each count has the name of its statement. */
export function countFiles(referrers: readonly Referrer[], id: string): ExtraNeed[] {
  return referrers.flatMap(({ countFiles: statement }) =>
    statement === null ? [] : [{ name: statement.name, statement, values: [id] }],
  )
}

/** How many files these are. */
export function filesCounted(referrers: readonly Referrer[], work: WorkingSet): number {
  const counts = referrers.flatMap(({ countFiles: statement }) =>
    statement === null ? [] : work.extra(statement.name),
  )
  return counts.reduce((sum, { count }) => sum + Number(count), 0)
}
