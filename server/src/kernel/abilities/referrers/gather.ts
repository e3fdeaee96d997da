import { idsOf, Lookup } from '../../record/index.ts'
import type { Statement } from '../../sql/index.ts'
import { mostAffected, type Needs } from '../../write/needs.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { ancestry } from '../nested/ancestry.ts'
import type { Referrer } from './referrer.ts'

/**
 * Needs everything that refers to a record: first finds the holders, then locks and loads them. With `other`, also finds the holders that
 * refer to both. Adding a reference to the record requires a lock on it, so no holder is added while this transaction holds that lock. The
 * holders are locked after the record, in the order that all actors keep. If a kind refers to itself, PostgreSQL may detect a deadlock,
 * and the attempt starts over.
 */
export function needReferrers(
  needs: Needs,
  work: WorkingSet,
  referrers: readonly Referrer[],
  id: string,
  other: string | null,
): void {
  needs.toLoad(...referrers.map(referrer => holdersOf(referrer, id)))
  if (other !== null)
    for (const referrer of referrers) if (referrer.isLink) needs.toLoad(...twinsOf(referrer, id, other))
  // If there are too many, nothing more is loaded and the plan refuses.
  if (countAffected(referrers, id, work) > mostAffected) return
  for (const referrer of referrers) needHolders(needs, referrer, id, other, work)
}

/** How many holders of a reference were found. */
export function countAffected(referrers: readonly Referrer[], id: string, work: WorkingSet): number {
  return referrers.reduce((count, referrer) => count + work.read(holdersOf(referrer, id)).length, 0)
}

function needHolders(needs: Needs, referrer: Referrer, target: string, other: string | null, work: WorkingSet): void {
  const { holder, isLink } = referrer
  const levels = ancestry(holder)
  for (const { id, above } of work.read(holdersOf(referrer, target))) {
    if (holder.parent === null) needs.toChange(holder, { id })
    else needs.toLoadNested(holder, id)
    for (const [level, { resource }] of levels.entries()) {
      if (resource.parent === null) needs.toChange(resource, { id: String(above[level]) })
      else needs.toLoadNested(resource, String(above[level]))
    }
  }
  if (!isLink || other === null) return
  for (const id of idsOfTwins(referrer, target, other, work)) needs.toLoadNested(holder, id)
}

/** A holder of a reference, and the ids of the records above it. */
interface Holder {
  readonly id: string
  readonly above: readonly string[]
}

/** The holders that refer to a record: at most one more than a request may change. */
export function holdersOf({ find }: Referrer, id: string): Lookup<readonly Holder[]> {
  return new Lookup(find, [id], rows => rows.map(row => ({ id: String(row.id), above: idsOf(row.above) })))
}

/**
 * The holders that refer to `other` where another one refers to `id`: links of the same parent, or items of the same list; none if that
 * cannot happen.
 */
export function twinsOf({ twins }: Referrer, id: string, other: string): readonly Lookup[] {
  return twins === null ? [] : [Lookup.rows(twins, [id, other])]
}

/** The ids of these holders. */
export function idsOfTwins(referrer: Referrer, id: string, other: string, work: WorkingSet): readonly string[] {
  return twinsOf(referrer, id, other).flatMap(lookup => work.read(lookup).map(row => String(row.id)))
}

/** How many holders refer to a record, even above the limit of one request. */
export function holderCount({ count }: Referrer, id: string): Lookup<number> {
  return countOf(count, id)
}

/** How many files the records that refer to a record have, one count for each referrer with files. */
export function fileCounts(referrers: readonly Referrer[], id: string): readonly Lookup<number>[] {
  return referrers.flatMap(({ countFiles }) => (countFiles === null ? [] : [countOf(countFiles, id)]))
}

function countOf(statement: Statement, id: string): Lookup<number> {
  return new Lookup(statement, [id], ([row]) => Number(row?.count ?? 0))
}
