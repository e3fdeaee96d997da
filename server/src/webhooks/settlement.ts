import { isDealClosing } from '../crm/deals/index.ts'
import type { Sending } from './lane.rules.ts'
import type { LaneCondition } from './lane-condition.rules.ts'
import type { CallOutcome } from './outcome.rules.ts'
import type { ParkedEvent, ParkedEvents } from './parked-events.rules.ts'
import type { ReplayProgress } from './replay-course.rules.ts'

interface Delivered {
  readonly seq: number
  /** The kind of the message if it is derived from the event; null: that of the event. */
  readonly derivedKind: string | null
  readonly status: number
  readonly took: number
  /** When the call began, in milliseconds since the epoch. */
  readonly begun: number
  /** From the commit of the event to this call, in milliseconds; null for a replay, and for what is no event of the feed. */
  readonly lag: number | null
}

interface Failed {
  readonly seq: number
  readonly derivedKind: string | null
  readonly resourceId: string
  readonly attempt: number
  readonly status: number | null
  readonly failure: string
  readonly took: number
  readonly begun: number
  readonly answer: string | null
}

/** Where a lane is. */
interface Place {
  readonly subscriptionId: string
  /** null: the lane is that of the webhook itself. */
  readonly replay: ReplayProgress | null
  readonly token: number
  readonly epoch: number
  readonly settledSeq: number
  readonly holes: Buffer
  readonly condition: LaneCondition
  readonly parked: ParkedEvents
  readonly at: number
}

/** What is stored of a lane at once. */
export interface Settlement extends Omit<Place, 'parked'> {
  readonly delivered: readonly Delivered[]
  readonly failed: readonly Failed[]
  readonly parkedChanges: ReadonlyMap<number, ParkedEvent | null>
}

/** What has happened in a lane and is not stored yet. */
export class Unsettled {
  #delivered: Delivered[] = []
  #failed: Failed[] = []
  #isTouched = false
  #hasPassed = false

  /** Its state is another one, which is stored at once. */
  touch(): void {
    this.#isTouched = true
  }

  /** Events were read that are not sent: that is stored with what comes next, because another worker can read them again. */
  pass(): void {
    this.#hasPassed = true
  }

  /** Also stores what `pass` has noted, because the next delivery may be far away. */
  touchIfPassed(): void {
    if (this.#hasPassed) this.#isTouched = true
  }

  /** A call has ended. */
  note(
    {
      seqs,
      resourceId,
      kinds: [sent = ''],
      attempts,
    }: Pick<Sending<unknown>, 'seqs' | 'resourceId' | 'kinds' | 'attempts'>,
    { kind, status, failure }: CallOutcome,
    { lag, ...time }: Pick<Delivered, 'begun' | 'took' | 'lag'>,
    answer: string | null = null,
  ): void {
    this.#isTouched = true
    const message = { seq: seqs.at(-1) ?? 0, derivedKind: isDealClosing(sent) ? sent : null }
    if (kind === 'delivered') this.#delivered.push({ ...message, status: status ?? 0, lag, ...time })
    else
      this.#failed.push({
        ...message,
        resourceId,
        attempt: attempts + 1,
        status,
        failure: failure ?? 'status',
        answer,
        ...time,
      })
  }

  /** Takes everything, to store it; null if there is nothing. */
  take({ parked, ...place }: Place): Settlement | null {
    if (!this.#isTouched) return null
    const taken = { ...place, delivered: this.#delivered, failed: this.#failed, parkedChanges: parked.takeChanges() }
    this.#isTouched = false
    this.#hasPassed = false
    this.#delivered = []
    this.#failed = []
    return taken
  }

  /** A settlement that was not stored: the next one has it too. */
  giveBack({ delivered, failed, parkedChanges }: Settlement, parked: ParkedEvents): void {
    this.#isTouched = true
    this.#delivered = [...delivered, ...this.#delivered]
    this.#failed = [...failed, ...this.#failed]
    parked.giveBack(parkedChanges)
  }
}

/** The values of the statement that settles: the lanes of one organization. */
export function settlementValues(organizationId: string, settlements: readonly Settlement[]): unknown[] {
  const all = (listed: (settlement: Settlement) => readonly object[]) => JSON.stringify(settlements.flatMap(listed))
  return [
    organizationId,
    all(settlement => (settlement.replay === null ? [positionOf(settlement)] : [])),
    all(runOf),
    all(settlement => settlement.failed.map(each => failureOf(settlement, each))),
    all(({ subscriptionId, parkedChanges }) =>
      [...parkedChanges.values()].flatMap(event => (event === null ? [] : parkedOf(subscriptionId, event))),
    ),
    all(({ subscriptionId, parkedChanges }) =>
      [...parkedChanges].flatMap(([seq, event]) => (event === null ? { subscription_id: subscriptionId, seq } : [])),
    ),
    all(settlement => (settlement.replay === null ? [] : [replayOf(settlement, settlement.replay)])),
  ]
}

function replayOf(settlement: Settlement, { id, isEnded, reason, delivered, failed, gone }: ReplayProgress) {
  const { subscription_id: _, epoch: __, ...position } = positionOf(settlement)
  const ended = isEnded ? { state: 'ended', reason, resume_at: null } : {}
  return { id, ...position, ...ended, delivered, failed, gone }
}

function positionOf({ subscriptionId, token, epoch, settledSeq, holes, condition, at }: Settlement) {
  const { state, reason, failures, failingSince, resumeAt } = condition
  return {
    subscription_id: subscriptionId,
    token,
    epoch,
    settled_seq: settledSeq,
    holes: `\\x${holes.toString('hex')}`,
    state,
    reason,
    failures,
    failing_since: time(failingSince),
    resume_at: time(resumeAt),
    at: time(at),
  }
}

function runOf({ subscriptionId, replay, delivered, at }: Settlement) {
  const inOrder = delivered.toSorted((one, other) => one.seq - other.seq)
  const [first] = inOrder
  const last = inOrder.at(-1)
  if (first === undefined || last === undefined) return []
  return [
    {
      subscription_id: subscriptionId,
      replay_id: replay?.id ?? null,
      at: time(at),
      from_seq: first.seq,
      to_seq: last.seq,
      distances: inOrder.map(({ seq }) => seq - first.seq),
      status: inOrder.map(({ status }) => status),
      took: inOrder.map(({ took }) => took),
      sent: inOrder.map(({ begun }) => at - begun),
      derived_kinds: inOrder.some(({ derivedKind }) => derivedKind !== null)
        ? inOrder.map(({ derivedKind }) => derivedKind)
        : null,
    },
  ]
}

function failureOf({ subscriptionId, replay }: Settlement, { resourceId, derivedKind, begun, ...failed }: Failed) {
  const lane = { subscription_id: subscriptionId, replay_id: replay?.id ?? null }
  return { ...lane, ...failed, at: time(begun), resource_id: resourceId, derived_kind: derivedKind }
}

function parkedOf(subscriptionId: string, event: ParkedEvent) {
  const { seq, kinds, resourceId, mergedSeqs, attempts, nextAt, lastStatus } = event
  return {
    subscription_id: subscriptionId,
    seq,
    kinds,
    resource_id: resourceId,
    merged_seqs: mergedSeqs,
    attempts,
    next_at: time(nextAt),
    last_status: lastStatus,
  }
}

function time(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString()
}
