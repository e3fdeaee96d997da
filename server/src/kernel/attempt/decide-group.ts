import { Refusal, refuse } from '../errors/index.ts'
import { replay } from '../idempotency/index.ts'
import type { Outcome } from '../operation.ts'
import type { Configuration } from '../schema/index.ts'
import type { Round } from '../write/needs.ts'
import type { WorkingSet } from '../write/working-set.ts'
import type { AloneReason } from './alone-reason.ts'
import { bodyInSteps, type Decided } from './decided.ts'
import { decisionInSteps, type WriteServices } from './decision.ts'
import type { GroupTicket } from './group-ticket.ts'
import type { GroupMember, LoadedGroup } from './load-group.ts'
import { writeContext } from './write-context.ts'

/** What was decided of a group. Nobody is told before the group has ended: all may rest on what is not committed yet. */
export interface DecidedGroup {
  readonly decided: (readonly [GroupTicket, Decided])[]
  /** Refusals and replays, which write nothing. */
  readonly answered: (readonly [GroupTicket, Outcome | Refusal])[]
  /** Those who have to run alone, and why. */
  readonly alone: (readonly [GroupTicket, AloneReason])[]
}

/** One of a group turned out to need a transaction of its own after it was decided, so the group is given up. */
export class NotTogether extends Error {
  readonly ticket: GroupTicket
  readonly reason: AloneReason

  constructor(ticket: GroupTicket, reason: AloneReason) {
    super(`a mutation cannot share its transaction: ${reason}`)
    this.ticket = ticket
    this.reason = reason
  }
}

/** Answers those whose keys are busy or answered. */
export function answeredByClaims(tickets: readonly GroupTicket[], { claims }: LoadedGroup): DecidedGroup['answered'] {
  return tickets.flatMap(ticket => {
    const { idempotency } = ticket.member.writer
    const state = claims.stateOf(idempotency)
    if (idempotency === null || state === null) return []
    const answer = state === 'busy' ? refuse('idempotency_in_progress') : replay(state, idempotency.fingerprint)
    return [[ticket, answer] as const]
  })
}

/** Decides one after another, in the order in which they came: each sees what the ones before it have decided. */
export function* decideInSteps(
  members: readonly GroupMember[],
  services: WriteServices,
  configuration: Configuration,
): Generator<unknown, DecidedGroup> {
  const group: DecidedGroup = { decided: [], answered: [], alone: [] }
  // Found out before anything is decided, because a decision may let a key lead to another record than the locked one.
  const isHeld = members.map(
    ({ asked, work, held }) => held.covers(asked.round, work) && holdsExtras(asked.round, work),
  )
  /** The application that has changed each record. Other applications of the group have loaded the record as it was before. */
  const changedBy = new Map<string, string | null>()
  for (const [index, member] of members.entries()) {
    const { ticket, asked, owner, work } = member
    const { mutation, writer } = ticket.member
    const reason = isHeld[index] ? reasonToLeave(member, changedBy, configuration) : 'locked'
    if (reason !== null) {
      group.alone.push([ticket, reason])
      continue
    }
    const write = writeContext(writer, owner, services, configuration)
    const decision = yield* decisionInSteps(mutation, work, write)
    if (decision instanceof Refusal || decision.isReplay) {
      if (!work.isUntouched()) throw new Error('a request that writes nothing has changed records')
      group.answered.push([ticket, decision instanceof Refusal ? decision : { ...decision, replayed: true }])
    } else {
      if (decision.sweep !== undefined) throw new NotTogether(ticket, 'statements')
      if (decision.jobs !== undefined && decision.jobs.length > 0) throw new NotTogether(ticket, 'jobs')
      for (const { before, current } of work.changedHere())
        changedBy.set((current ?? before)?.id ?? '', writer.applicationId)
      const body = yield* bodyInSteps(writer, decision)
      group.decided.push([ticket, { writer, decision, work, write, body }])
    }
    yield asked
  }
  return group
}

/** Why one of a group leaves it, after those before it were decided. */
function reasonToLeave(
  { ticket, asked, owner, work }: GroupMember,
  changedBy: ReadonlyMap<string, string | null>,
  configuration: Configuration,
): AloneReason | null {
  const isOfOther = (id: string) => (changedBy.get(id) ?? owner.applicationId) !== owner.applicationId
  if (!isFresh(asked.round, work, isOfOther)) return 'neighbour'
  ticket.member.mutation.needs(asked.needs, work, configuration)
  return asked.needs.take() === null ? null : 'rounds'
}

/** Whether all rows that had to be locked are. */
function holdsExtras({ extras }: Round, work: WorkingSet): boolean {
  return extras.every(({ name, inGroup }) => {
    if (typeof inGroup !== 'object') return true
    const locked = new Set(work.extra(name).map(({ id }) => id))
    return work.extra(inGroup.locks).every(({ id }) => locked.has(id))
  })
}

/**
 * Whether what was loaded still holds for this request, after those before it in the group were decided. No other application may
 * have changed its records. Where the request looks at places among nested records, which were counted when they were loaded, or
 * writes rows beside the record, which tell of one change of it, no other request at all may have changed them.
 */
function isFresh({ change, nested, extras }: Round, work: WorkingSet, isOfOther: (id: string) => boolean): boolean {
  const hasPlaces = [...nested.keys()].some(({ parent }) => parent?.isPlaced)
  const looksAtRecord = hasPlaces || extras.some(({ inGroup }) => inGroup === 'of the record')
  for (const [{ kind, rules }, { ids, keys }] of change) {
    const isChangedOnce = looksAtRecord || rules.sideRows !== undefined
    const named = [...keys].flatMap(key => work.key(kind, key)?.resourceId ?? [])
    const isStale = (id: string) => isOfOther(id) || (isChangedOnce && work.hasChanged(kind, id))
    if ([...ids, ...named].some(isStale)) return false
  }
  return true
}
