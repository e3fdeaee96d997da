import type { GroupEnd, GroupRunner, QueuedWrite } from '../admission/index.ts'
import { unattended } from '../auth/actor.ts'
import { refuse } from '../errors/index.ts'
import { ClientGone } from '../input/call.ts'
import { bounds } from '../limits/index.ts'
import type { AloneReason, Attempt, Ended, Write, WriteServices } from '../mutation/index.ts'
import type { Configuration } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { CommitUncertain, DecideAgain, failureOf, type Transaction } from '../sql/index.ts'
import { type Span, traced, withinSpan } from '../tracing/index.ts'
import type { Round } from '../write/needs.ts'
import { NotTogether } from './decide-in-turn.ts'

/** Attempts writes that share a transaction: see `server/src/kernel/write.ts`. */
export type MakeAttempt = (
  writes: readonly Write[],
  isGroup: boolean,
  transaction: Transaction,
  services: WriteServices,
  configuration: Configuration,
) => Promise<Attempt | DecideAgain>

/** A write that waits for its group. */
interface WaitingWrite extends QueuedWrite {
  readonly write: Write
  /** The span of its wait, if traces are recorded. */
  readonly span: Span | null
  resolve(ended: Ended): void
}

/**
 * Carries out a write: together with others of its organization that arrive while some are under way, or alone if its needs or its nature
 * require that (docs/adr/0016).
 */
export async function joinGroup(write: Write, services: WriteServices, attempt: MakeAttempt): Promise<Ended> {
  const { groupQueues } = services
  if (groupQueues === undefined) return runAlone(write, services, attempt)
  const { actor, idempotency } = write
  const { round } = write.firstNeeds(await services.configurations.recent(actor.reader))
  const reason = reasonToRunAlone(write, round)
  if (reason !== null) {
    groupQueues.observer.onAlone(reason)
    return runAlone(write, services, attempt)
  }
  const { organizationId, applicationId, author, bodyBytes: bytes = 0, reader } = actor
  const leaveKey =
    idempotency === null
      ? () => {}
      : groupQueues.holdKey(`${organizationId} ${idempotency.applicationId} ${idempotency.key}`)
  if (leaveKey === null) return { outcome: refuse('idempotency_in_progress'), drops: [] }
  try {
    return await traced(
      'wait for group',
      {},
      span =>
        new Promise((resolve, reject) => {
          const until = performance.now() + bounds.place.most
          // All users share the application of the cabinet, and each has their own turns.
          const client = author.uuid ?? applicationId ?? 'none'
          const size = { client, bytes, records: round.size }
          const waiting = { ...size, write, span, until, whenGone: reader.whenGone, resolve, reject }
          groupQueues.enter(organizationId, waiting, () => runnerOf(organizationId, services, groupQueues, attempt))
        }),
    )
  } finally {
    leaveKey()
  }
}

/** The most records and keys that a member of a group may need: with more, the commit is a small part of the cost. */
export const mostRecordsTogether = 20

/** Why a write cannot join a group, as far as its first needs show; null if it can. */
function reasonToRunAlone({ looksOnly, runsAlone }: Write, round: Round): AloneReason | null {
  if (runsAlone !== null) return runsAlone
  if (looksOnly) return 'preview'
  if (round.size > mostRecordsTogether) return 'size'
  const isOwn = round.lookups.some(({ inGroup }) => inGroup === null)
  return isOwn || round.added.size > 0 ? 'rows' : null
}

const mostAttempts = 4

/** The start of the first attempt of a write that runs alone. */
interface Start {
  /** A transaction that has not begun. Without one, the attempt waits for a slot at the database. */
  readonly transaction?: Transaction
  /** The time on the clock of `performance.now()` until which it waits for a slot. */
  readonly until?: number
}

/**
 * Runs a write in a transaction of its own. Starts over with fresh data if a needed row was not locked or the database reports a conflict.
 * After three attempts it throws, which becomes a 503.
 */
async function runAlone(
  write: Write,
  services: WriteServices,
  attempt: MakeAttempt,
  { transaction, until }: Start = {},
): Promise<Ended> {
  const { reader } = write.actor
  let configuration = services.configurations.known(reader)
  let given = transaction
  if (configuration === undefined) {
    // Never wait for a slot while holding one: the organization may have no other.
    await given?.rollback()
    given = undefined
    configuration = await services.configurations.fresh(reader)
  }
  for (let number = 1; ; number += 1) {
    const present = configuration
    const own = given ?? (await services.database.begin(reader, until))
    given = undefined
    const made = await traced('transaction', { facts: { 'crm.attempt': number } }, () =>
      attempt([write], false, own, services, present),
    )
    if (!(made instanceof DecideAgain)) {
      const ended = made.ended.get(write)
      if (ended === undefined) throw new Error('a write has no result')
      return ended
    }
    if (number === mostAttempts) throw made
    configuration = await services.configurations.fresh(reader)
    await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * number))
  }
}

/** Runs the writes of an organization, one or several of them in a slot at the database. */
function runnerOf(
  organizationId: string,
  services: WriteServices,
  groupQueues: Services['groupQueues'],
  attempt: MakeAttempt,
): GroupRunner<WaitingWrite, Transaction> {
  const alone = async (transaction: Transaction | undefined, waiting: WaitingWrite): Promise<boolean> => {
    const start = { until: waiting.until, ...(transaction === undefined ? {} : { transaction }) }
    try {
      waiting.resolve(await withinSpan(waiting.span, () => runAlone(waiting.write, services, attempt, start)))
      return false
    } catch (error) {
      waiting.reject(error)
      return !(error instanceof ClientGone) && failureOf(error) !== 'unavailable'
    }
  }
  return {
    open: until => services.database.begin(unattended(organizationId), until),
    close: transaction => transaction.rollback(),
    alone,
    together: (transaction, group) =>
      runTogether(group, transaction, services, attempt, (waiting, reason) => {
        groupQueues.observer.onAlone(reason)
        // The next group does not wait for this write, which may have to wait for a lock.
        void alone(undefined, waiting)
      }),
  }
}

const nobody: GroupEnd<WaitingWrite> = { failed: [], again: [] }

/**
 * Runs writes of one organization in one transaction. Each keeps its own decision, answer, events and ids, and learns its result when the
 * transaction has ended. `leave` makes one of them run alone.
 */
async function runTogether(
  group: readonly WaitingWrite[],
  transaction: Transaction,
  services: WriteServices,
  attempt: MakeAttempt,
  leave: (waiting: WaitingWrite, reason: AloneReason) => void,
): Promise<GroupEnd<WaitingWrite>> {
  const writes = group.map(({ write }) => write)
  const waitingOf = new Map(group.map(waiting => [waiting.write, waiting]))
  const leaveAlone = (write: Write, reason: AloneReason) => {
    const waiting = waitingOf.get(write)
    if (waiting !== undefined) leave(waiting, reason)
  }
  const [reader] = writes.map(({ actor }) => unattended(actor.organizationId))
  if (reader === undefined) return nobody
  try {
    const configuration = services.configurations.known(reader)
    // Reading the configuration takes a connection of its own, so the group gives its connection back first.
    if (configuration === undefined) await transaction.rollback()
    const made =
      configuration === undefined
        ? new DecideAgain('the configuration is not known')
        : await tracedGroup(group, () => attempt(writes, true, transaction, services, configuration))
    if (made instanceof DecideAgain) {
      // A transaction that certainly had no effect is tried again in smaller groups, so that an error reaches only the write that causes
      // it.
      if (made.cause !== undefined) return { failed: group, again: [] }
      await services.configurations.fresh(reader)
      return { failed: [], again: group }
    }
    for (const [write, ended] of made.ended) waitingOf.get(write)?.resolve(ended)
    for (const [write, reason] of made.alone) leaveAlone(write, reason)
    return nobody
  } catch (error) {
    if (error instanceof NotTogether) {
      leaveAlone(error.write, error.reason)
      return { failed: [], again: group.filter(({ write }) => write !== error.write) }
    }
    const isOfAll = error instanceof CommitUncertain || failureOf(error) === 'unavailable'
    if (!isOfAll) return { failed: group, again: [] }
    // The rest would fail in the same way, or may have taken effect.
    for (const waiting of group) waiting.reject(error)
    return nobody
  }
}

/**
 * Runs the transaction of a group as one span. A span can have only one parent, so the parent is the span of the first write whose trace
 * is recorded. Links connect it with the spans of the other writes in both directions.
 */
function tracedGroup<Result>(group: readonly WaitingWrite[], work: () => Promise<Result>): Promise<Result> {
  const spans = group.flatMap(({ span }) => span ?? [])
  const parent = spans.find(({ isRecorded }) => isRecorded) ?? spans[0]
  // Without this parent it would become a child of the span that started the queue: that of a write which may have ended long ago.
  return traced('transaction', { parent: parent ?? null, facts: { 'crm.group.requests': group.length } }, own => {
    for (const span of own === null ? [] : spans.filter(each => each !== parent)) {
      own?.leadTo(span)
      if (own !== null) span.leadTo(own)
    }
    return work()
  })
}
