import { atOnce, type GroupEnd, inSlices } from '../admission/index.ts'
import type { RowChange } from '../record/table.ts'
import type { Configuration } from '../schema/index.ts'
import { CommitUncertain, failureOf, type Transaction } from '../sql/index.ts'
import { traced } from '../tracing/index.ts'
import { stateRowsInSteps } from '../write/rows.ts'
import type { ToSave } from '../write/save.ts'
import { saveAndCommit, saveInSteps } from '../write/save-and-publish.ts'
import { unattended } from '../writer.ts'
import type { AloneReason } from './alone-reason.ts'
import { answeredByClaims, type DecidedGroup, decideInSteps, NotTogether } from './decide-group.ts'
import { outcomeOf, writtenBesideInSteps } from './decided.ts'
import type { WriteServices } from './decision.ts'
import type { GroupTicket } from './group-ticket.ts'
import { loadGroup } from './load-group.ts'
import { tracedGroup } from './traced-group.ts'

/** Lets one of a group run alone, for this reason. */
type Leave = (ticket: GroupTicket, reason: AloneReason) => void

const nobody: GroupEnd<GroupTicket> = { failed: [], again: [] }

/**
 * Runs mutations of one organization in one transaction: one claim, one load, one save and one commit for all. Each keeps
 * its own decision, answer, events and ids. It waits for no lock but that of the feed: whoever would have to wait for
 * another one leaves, and runs alone. Outcomes are told when the transaction has ended.
 */
export async function runTogether(
  tickets: readonly GroupTicket[],
  transaction: Transaction,
  services: WriteServices,
  leave: Leave,
): Promise<GroupEnd<GroupTicket>> {
  try {
    const group = await tracedGroup(tickets, () => attempt(tickets, transaction, services))
    if (group === null) {
      for (const { member } of tickets.slice(0, 1))
        await services.configurations.fresh(unattended(member.writer.organizationId))
      return { failed: [], again: tickets }
    }
    for (const [ticket, decided] of group.decided) ticket.resolve(outcomeOf(decided))
    for (const [ticket, outcome] of group.answered) ticket.resolve(outcome)
    for (const [ticket, reason] of group.alone) leave(ticket, reason)
    return nobody
  } catch (error) {
    if (error instanceof NotTogether) {
      leave(error.ticket, error.reason)
      return { failed: [], again: tickets.filter(ticket => ticket !== error.ticket) }
    }
    // What is known to have come to nothing is tried again in smaller groups, so that an error meets only whom it
    // belongs to. The rest would fail in the same way, or may have taken effect.
    const isOfAll = error instanceof CommitUncertain || failureOf(error) === 'unavailable'
    if (!isOfAll) return { failed: tickets, again: [] }
    for (const ticket of tickets) ticket.reject(error)
    return nobody
  }
}

/** One attempt, up to its end; null if the configuration has changed, or is not known and has to be read from another place. */
async function attempt(
  tickets: readonly GroupTicket[],
  transaction: Transaction,
  services: WriteServices,
): Promise<DecidedGroup | null> {
  try {
    const [first] = tickets
    if (first === undefined) throw new Error('a group has members')
    const { organizationId, reader } = first.member.writer
    const configuration = services.configurations.known(reader)
    if (configuration === undefined) return null
    const loaded = await traced('claim and load', {}, () =>
      loadGroup(organizationId, tickets, transaction, services, configuration),
    )
    if (loaded.claims.configurationVersion !== configuration.version) return null
    const group = await traced('decide', {}, () => inSlices(decideInSteps(loaded.members, services, configuration)))
    group.answered.push(...answeredByClaims(tickets, loaded))
    const toSave = await inSlices(gatheredInSteps(group, organizationId, configuration))
    if (toSave === null) return group
    const save = await inSlices(saveInSteps(toSave, transaction.distribution))
    await traced('save and commit', {}, () => saveAndCommit(transaction, save))
    return group
  } finally {
    await transaction.rollback()
  }
}

/** All that was decided; null if nothing is written. */
function* gatheredInSteps(
  { decided }: DecidedGroup,
  organizationId: string,
  configuration: Configuration,
): Generator<unknown, ToSave | null> {
  // Requests of one application have changed the same records, so these are written once for all of them.
  const ofApplications = new Map(decided.map(([, each]) => [each.writer.applicationId, each]))
  const rows: RowChange[] = [...ofApplications.values()].flatMap(({ work, write }) =>
    atOnce(stateRowsInSteps(work, write)),
  )
  const events: Record<string, unknown>[] = []
  for (const [, each] of decided) {
    const beside = atOnce(writtenBesideInSteps(each))
    rows.push(...beside.rows)
    events.push(...beside.events)
    yield each
  }
  return rows.length === 0 ? null : { organizationId, rows, events, configurationVersion: configuration.version }
}
