import { atOnce, inSlices, nextSlice } from '../admission/index.ts'
import { Refusal, refuse } from '../errors/index.ts'
import { claim, claimNothing, replay } from '../idempotency/index.ts'
import { addJob } from '../jobs/index.ts'
import { bounds } from '../limits/index.ts'
import type { Outcome } from '../operation.ts'
import { type Configuration, sizeOf } from '../schema/index.ts'
import { DecideAgain, failureOf, type Transaction } from '../sql/index.ts'
import { traced } from '../tracing/index.ts'
import { lockAndLoad } from '../write/load.ts'
import { stateRowsInSteps } from '../write/rows.ts'
import type { Save } from '../write/save.ts'
import { saveAndCommit, saveInSteps } from '../write/save-and-publish.ts'
import { WorkingSet } from '../write/working-set.ts'
import { mostRecordsTogether } from './alone-reason.ts'
import { bodyInSteps, type Decided, outcomeOf, writtenBesideInSteps } from './decided.ts'
import { decisionInSteps, type WriteServices } from './decision.ts'
import type { Member } from './member.ts'
import { ownerOf, writeContext } from './write-context.ts'

const attempts = 4

const nothing: Save = { statements: [], publish: null }

/** A mutation that needs more rounds than this starts over: others change keys faster than it can follow them. */
const mostRounds = 6

/** Where the first attempt runs. */
export interface Start {
  /** A transaction that has not begun. Without one, the attempt waits for a place at the database. */
  readonly transaction?: Transaction
  /** The time on the clock of `performance.now()` until which it waits for a place. */
  readonly until?: number
}

/**
 * Runs a mutation in a transaction of its own. Starts over with fresh data when a needed row was not locked or the
 * database reports a conflict: three times at most, then it throws, which becomes a 503.
 */
export async function runAlone(
  member: Member,
  services: WriteServices,
  { transaction, until }: Start = {},
): Promise<Outcome | Refusal> {
  const { reader } = member.writer
  const begin = () => services.database.begin(reader, until)
  let configuration = services.configurations.known(reader)
  let given = transaction
  if (configuration === undefined) {
    // Nobody asks for a place while they hold one: an organization may have no other.
    await given?.rollback()
    given = undefined
    configuration = await services.configurations.fresh(reader)
  }
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const place = attempt === 1 ? given : undefined
    const [present, held] = [configuration, place ?? (await begin())]
    const outcome = await traced('transaction', { facts: { 'crm.attempt': attempt } }, () =>
      runOnce(member, services, present, held),
    )
    if (!(outcome instanceof DecideAgain)) return outcome
    if (attempt === attempts) throw outcome
    configuration = await services.configurations.fresh(reader)
    await new Promise(resolve => setTimeout(resolve, Math.random() * 10 * attempt))
  }
  throw new DecideAgain('no attempt was made')
}

async function runOnce(
  member: Member,
  services: WriteServices,
  configuration: Configuration,
  transaction: Transaction,
): Promise<Outcome | Refusal | DecideAgain> {
  const { mutation, writer } = member
  const { organizationId, idempotency } = writer
  const owner = ownerOf(writer, services)
  const locks = mutation.looksOnly !== true
  const work = new WorkingSet()
  try {
    const { needs, round: first } = member.begin(configuration)
    const [claimed, held] = await traced('claim and load', {}, () =>
      Promise.all([
        idempotency === null
          ? claimNothing(transaction, organizationId)
          : claim(transaction, organizationId, idempotency),
        lockAndLoad(transaction, first, owner, work, services.resources, locks),
      ]),
    )
    if (claimed.state === 'busy') return refuse('idempotency_in_progress')
    if (claimed.answer !== null && idempotency !== null) return replay(claimed.answer, idempotency.fingerprint)
    if (!held.isAll()) return new DecideAgain('a row that is needed was not locked')
    if (configuration.version !== null && claimed.configurationVersion !== configuration.version)
      return new DecideAgain('the configuration has changed')
    for (let round = 2; ; round += 1) {
      mutation.needs(needs, work, configuration)
      const more = needs.take()
      if (more === null) break
      const isComplete =
        round <= mostRounds && (await lockAndLoad(transaction, more, owner, work, services.resources, locks)).isAll()
      if (!isComplete) return new DecideAgain('a row that is needed was not locked')
    }

    // The time is taken after all locks: while this transaction waited for one, another change may have got a later
    // time.
    const write = writeContext(writer, owner, services, configuration)
    // Small work is done at a stretch: to give way costs more than that takes.
    const isLong = transaction.hasLoadedMuch || first.size > mostRecordsTogether
    const giveWay = <Result>(steps: Generator<unknown, Result>) => (isLong ? inSlices(steps) : atOnce(steps))
    const decision = await traced('decide', {}, () => giveWay(decisionInSteps(mutation, work, write)))
    if (decision instanceof Refusal) return decision

    const { status, data, meta } = decision
    if (decision.isReplay) return { status, data, meta, replayed: true }
    const swept = (await decision.sweep?.(transaction)) ?? []
    const body = await inSlices(bodyInSteps(writer, decision))
    const isLarge = sizeOf(body ?? '') > bounds.large.most
    if (isLarge) await nextSlice()
    const decided: Decided = { writer, decision, work, write, body }
    const { rows, events } = await giveWay(writtenBesideInSteps(decided))
    const all = [...(await giveWay(stateRowsInSteps(work, write))), ...rows, ...swept]
    if (isLarge) await nextSlice()
    const toSave = { organizationId, rows: all, events, configurationVersion: configuration.version }
    const save = all.length === 0 ? nothing : await inSlices(saveInSteps(toSave, transaction.distribution))
    await traced('save and commit', {}, () => {
      const added = (decision.jobs ?? []).map(request => addJob(transaction, organizationId, request))
      return saveAndCommit(transaction, save, added)
    })
    return outcomeOf(decided)
  } catch (error) {
    if (failureOf(error) === 'again') return new DecideAgain('the database reports a conflict', { cause: error })
    throw error
  } finally {
    await transaction.rollback()
  }
}
