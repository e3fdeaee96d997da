import type { AloneReason, LoadedWrite, Write } from '../mutation/index.ts'
import type { Round } from '../write/needs.ts'
import type { WorkingSet } from '../write/working-set.ts'

/** The most records and keys that a member of a group may need: with more, the commit is a small part of the cost. */
export const mostRecordsTogether = 20

/** Why a write cannot join a group, as far as its first needs show; null if it can. */
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

/** Why a write leaves its group after those before it were decided. */
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
 * Whether the loaded data is still valid for this request after the earlier ones of the group were decided. No other application may have
 * changed its records. If the request uses positions among nested records, which were counted on loading, or writes rows beside the
 * record, which describe one change of it, no other request at all may have changed them.
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
