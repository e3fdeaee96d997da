import type { AloneReason, LoadedWrite, Write } from '../mutation/index.ts'
import type { Round } from '../write/needs.ts'
import type { WorkingSet } from '../write/working-set.ts'

/** The most records and keys that a member of a group needs: a commit is a small part of what more of them cost. */
export const mostRecordsTogether = 20

/** Why a write cannot be one of a group, as far as its first needs tell; null where it can. */
export function reasonToRunAlone({ looksOnly, runsAlone }: Write, round: Round): AloneReason | null {
  if (runsAlone !== null) return runsAlone
  if (looksOnly) return 'preview'
  if (round.size > mostRecordsTogether) return 'size'
  const isOwn = round.lookups.some(({ inGroup }) => inGroup === null)
  return isOwn || round.added.size > 0 ? 'rows' : null
}

/** Whether everything that a write needs is locked. */
export function holdsAll({ first: { round }, work, held }: LoadedWrite): boolean {
  return held.covers(round, work) && holdsRows(round, work)
}

/** Why one of a group leaves it, after those before it were decided. */
export function reasonToLeave(
  { write, first, owner, work }: LoadedWrite,
  changedBy: ReadonlyMap<string, string | null>,
): AloneReason | null {
  const isOfOther = (id: string) => (changedBy.get(id) ?? owner.applicationId) !== owner.applicationId
  if (!isFresh(first.round, work, isOfOther)) return 'neighbour'
  return write.moreNeeds(first, work) === null ? null : 'rounds'
}

function holdsRows({ lookups }: Round, work: WorkingSet): boolean {
  return lookups.every(lookup => {
    const { inGroup } = lookup
    if (inGroup === null || typeof inGroup === 'string') return true
    const locked = new Set(work.rows(lookup).map(({ id }) => id))
    return work.rows(inGroup.locks).every(({ id }) => locked.has(id))
  })
}

/**
 * Whether what was loaded still holds for this request, after those before it in the group were decided. No other application may
 * have changed its records. Where the request looks at places among nested records, which were counted when they were loaded, or
 * writes rows beside the record, which tell of one change of it, no other request at all may have changed them.
 */
function isFresh({ change, nested, lookups }: Round, work: WorkingSet, isOfOther: (id: string) => boolean): boolean {
  const hasPlaces = [...nested.keys()].some(({ parent }) => parent?.isPlaced)
  const looksAtRecord = hasPlaces || lookups.some(({ inGroup }) => inGroup === 'of the record')
  for (const [{ kind, rules }, { ids, keys }] of change) {
    const isChangedOnce = looksAtRecord || rules.sideRows !== undefined
    const named = [...keys].flatMap(key => work.key(kind, key)?.resourceId ?? [])
    const isStale = (id: string) => isOfOther(id) || (isChangedOnce && work.hasChanged(kind, id))
    if ([...ids, ...named].some(isStale)) return false
  }
  return true
}
