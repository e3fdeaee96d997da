import {
  type AloneReason,
  type DecidedWrites,
  type LoadedWrite,
  type Write,
  type WriteServices,
} from '../mutation/index.ts'
import type { Configuration } from '../schema/index.ts'
import type { Round } from '../write/needs.ts'
import type { WorkingSet } from '../write/working-set.ts'

/** Thrown to give up a group: the decision about one of its writes showed that it needs a transaction of its own. */
export class NotTogether extends Error {
  readonly write: Write
  readonly reason: AloneReason

  constructor(write: Write, reason: AloneReason) {
    super(`a write cannot share its transaction: ${reason}`)
    this.write = write
    this.reason = reason
  }
}

/** Decides the writes of a group in order of arrival. Each sees the decisions before it. */
export function* decideInTurn(
  loaded: readonly LoadedWrite[],
  services: WriteServices,
  configuration: Configuration,
): Generator<unknown, DecidedWrites> {
  const group: DecidedWrites = { decided: [], ended: [], alone: [] }
  // Checked before any decision, because a decision may move a key to another record than the locked one.
  const isHeld = loaded.map(holdsAll)
  /** The application that has changed each record. Other applications of the group have loaded the record in its previous state. */
  const changedBy = new Map<string, string | null>()
  for (const [index, each] of loaded.entries()) {
    const { write, owner, work } = each
    const reason = isHeld[index] ? reasonToLeave(each, changedBy) : 'locked'
    if (reason !== null) {
      group.alone.push([write, reason])
      continue
    }
    const outcome = yield* write.decide(work, owner, services, configuration)
    if ('decision' in outcome) {
      const { sweep, jobs = [] } = outcome.decision
      if (sweep !== undefined) throw new NotTogether(write, 'statements')
      if (jobs.length > 0) throw new NotTogether(write, 'jobs')
      for (const { before, current } of work.changedHere())
        changedBy.set((current ?? before)?.id ?? '', owner.applicationId)
      group.decided.push({ write, work, ...outcome })
    } else {
      if (!work.isUntouched()) throw new Error('a request that writes nothing has changed records')
      group.ended.push([write, outcome])
    }
    yield
  }
  return group
}

/** Whether everything that a write needs is locked. */
function holdsAll({ first: { round }, work, held }: LoadedWrite): boolean {
  return held.covers(round, work) && holdsRows(round, work)
}

/** Why a write leaves its group after those before it were decided. */
function reasonToLeave(
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
