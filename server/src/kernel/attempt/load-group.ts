import { type Claims, claimAll, keepClaims } from '../idempotency/index.ts'
import type { Configuration } from '../schema/index.ts'
import type { Row, Transaction } from '../sql/index.ts'
import { Held } from '../write/held.ts'
import type { KeyOwner } from '../write/load.ts'
import { type GroupPart, lockAndLoadTogether } from '../write/load-together.ts'
import { Round } from '../write/needs.ts'
import { WorkingSet } from '../write/working-set.ts'
import type { WriteServices } from './decision.ts'
import type { GroupTicket } from './group-ticket.ts'
import type { Asked } from './member.ts'
import { ownerOf } from './write-context.ts'

/** One of a group: what it needs, and its view of what was loaded for its application. */
export interface GroupMember {
  readonly ticket: GroupTicket
  readonly asked: Asked
  readonly owner: KeyOwner
  readonly work: WorkingSet
  readonly held: Held
}

/** What a group has claimed, locked and loaded. */
export interface LoadedGroup {
  readonly claims: Claims
  /** Those who hold their keys and have no answer, in the order in which they came. */
  readonly members: readonly GroupMember[]
}

/**
 * Claims, locks and loads for all in one way there and back. A request whose key is busy or answered locks and loads
 * nothing: if there is one, nothing is, and the others ask once more.
 */
export async function loadGroup(
  organizationId: string,
  tickets: readonly GroupTicket[],
  transaction: Transaction,
  services: WriteServices,
  configuration: Configuration,
): Promise<LoadedGroup> {
  const keys = tickets.flatMap(({ member }) => member.writer.idempotency ?? [])
  const load = (some: readonly GroupTicket[]) =>
    lockAndLoadAll(organizationId, some, transaction, services, configuration)
  const [claims, members] = await Promise.all([claimAll(transaction, organizationId, keys), load(tickets)])
  if (claims.areAllOpen) return { claims, members }
  const open = tickets.filter(({ member }) => claims.stateOf(member.writer.idempotency) === null)
  const [, again] = await Promise.all([keepClaims(transaction, organizationId), load(open)])
  return { claims, members: again }
}

async function lockAndLoadAll(
  organizationId: string,
  tickets: readonly GroupTicket[],
  transaction: Transaction,
  services: WriteServices,
  configuration: Configuration,
): Promise<readonly GroupMember[]> {
  const parts = new Map<string | null, GroupPart>()
  const members = tickets.map(ticket => {
    const { writer } = ticket.member
    const made = { owner: ownerOf(writer, services), round: new Round(), work: new WorkingSet() }
    const part = parts.get(writer.applicationId) ?? made
    parts.set(writer.applicationId, part)
    const asked = ticket.member.begin(configuration)
    part.round.include(asked.round)
    return { ticket, asked, part, owner: part.owner, work: new WorkingSet(part.work) }
  })
  const all = [...parts.values()]
  const [held] = await Promise.all([
    lockAndLoadTogether(transaction, organizationId, all, services.resources),
    loadExtras(members, transaction, organizationId),
  ])
  return members.map(({ part, ...member }) => ({ ...member, held: held[all.indexOf(part)] ?? new Held() }))
}

/** Loads the rows that rules ask for. Rows for which several ask are loaded once. */
async function loadExtras(
  members: readonly Pick<GroupMember, 'asked' | 'work'>[],
  transaction: Transaction,
  organizationId: string,
): Promise<void> {
  const asked = new Map<string, Promise<Row[]>>()
  await Promise.all(
    members.flatMap(({ asked: { round }, work }) =>
      round.extras.map(async ({ name, statement, values, inGroup }) => {
        const sent = typeof inGroup === 'object' ? inGroup.tries : statement
        const key = `${sent.name} ${JSON.stringify(values)}`
        const rows = asked.get(key) ?? transaction.query(sent, [organizationId, ...values])
        asked.set(key, rows)
        work.loadExtra(name, await rows)
      }),
    ),
  )
}
