import type { Course } from './admission/index.ts'
import { reasonToRunAlone } from './attempt/alone-reason.ts'
import { type Decision, decisionInSteps, type Mutation, type WriteServices } from './attempt/decision.ts'
import type { GroupTicket } from './attempt/group-ticket.ts'
import { Member } from './attempt/member.ts'
import { runAlone } from './attempt/run-alone.ts'
import { runTogether } from './attempt/run-together.ts'
import { ClientGone } from './call.ts'
import { type Refusal, refuse } from './errors/index.ts'
import { bounds } from './limits/index.ts'
import type { Outcome } from './operation.ts'
import type { Services } from './services.ts'
import { failureOf, type Transaction } from './sql/index.ts'
import { traced, withinSpan } from './tracing/index.ts'
import { unattended, type Writer } from './writer.ts'

export { type Decision, decisionInSteps, type Mutation, type WriteServices }

/**
 * The only way to change an organization's records and settings: claims the idempotency key if there is one, locks, loads,
 * decides, saves and commits, in one transaction and two round trips (gates 9 to 16). While other writes of the organization are
 * under way, it waits for them, and shares its transaction with those that come meanwhile (docs/adr/0016).
 *
 * Resolves to the outcome (a replay if the key was used before) or a refusal. Throws what went wrong inside.
 */
export async function mutate(mutation: Mutation, writer: Writer, services: WriteServices): Promise<Outcome | Refusal> {
  const member = new Member(mutation, writer)
  const { lanes } = services
  if (lanes === undefined) return runAlone(member, services)
  const { round } = member.ask(await services.configurations.recent(writer.reader))
  const reason = reasonToRunAlone(mutation, round)
  if (reason !== null) {
    lanes.onAlone(reason)
    return runAlone(member, services)
  }
  const { organizationId, idempotency } = writer
  const leaveKey =
    idempotency === null ? () => {} : lanes.holdKey(`${organizationId} ${idempotency.applicationId} ${idempotency.key}`)
  if (leaveKey === null) return refuse('idempotency_in_progress')
  try {
    return await traced(
      'lane',
      {},
      span =>
        new Promise((resolve, reject) => {
          const { bodyBytes: bytes = 0, applicationId, reader } = writer
          const until = performance.now() + bounds.place.most
          const { whenGone } = reader
          const application = applicationId ?? 'none'
          const ticket = { member, span, application, bytes, records: round.size, until, whenGone, resolve, reject }
          lanes.enter(organizationId, ticket, () => courseOf(writer, services, lanes))
        }),
    )
  } finally {
    leaveKey()
  }
}

/** How the writes of an organization run, one or several of them in a place at the database. */
function courseOf(
  { organizationId }: Writer,
  services: WriteServices,
  lanes: Services['lanes'],
): Course<GroupTicket, Transaction> {
  const run = async (ticket: GroupTicket, transaction?: Transaction): Promise<boolean> => {
    const start = { until: ticket.until, ...(transaction === undefined ? {} : { transaction }) }
    try {
      ticket.resolve(await withinSpan(ticket.span, () => runAlone(ticket.member, services, start)))
      return false
    } catch (error) {
      ticket.reject(error)
      return !(error instanceof ClientGone) && failureOf(error) !== 'unavailable'
    }
  }
  return {
    open: until => services.database.begin(unattended(organizationId), until),
    close: transaction => transaction.rollback(),
    alone: (transaction, ticket) => run(ticket, transaction),
    together: (transaction, tickets) =>
      runTogether(tickets, transaction, services, (ticket, reason) => {
        lanes.onAlone(reason)
        // The next group does not wait for it: it may have to wait for a lock.
        void run(ticket)
      }),
  }
}
