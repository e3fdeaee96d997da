import { type Claims, claimAll, keepClaims } from '../idempotency/index.ts'
import type { Configuration } from '../schema/index.ts'
import type { Row, Transaction } from '../sql/index.ts'
import type { Held } from '../write/held.ts'
import { type KeyOwner, lockAndLoad } from '../write/load.ts'
import { Round } from '../write/needs.ts'
import { WorkingSet } from '../write/working-set.ts'
import type { WriteServices } from './decision.ts'
import type { GroupTicket } from './group-ticket.ts'
import type { Asked } from './member.ts'

/** One of a group: what it needs, and its view of what was loaded for all. */
export interface GroupMember {
  readonly ticket: GroupTicket
  readonly asked: Asked
  readonly work: WorkingSet
}

/** What a group has claimed, locked and loaded. */
export interface LoadedGroup {
  readonly claims: Claims
  /** Those who hold their keys and have no answer, in the order in which they came. */
  readonly members: readonly GroupMember[]
  readonly shared: WorkingSet
  readonly held: Held
}

/**
 * Claims, locks and loads for all in one way there and back. A request whose key is busy or answered locks and loads
 * nothing: if there is one, nothing is, and the others ask once more.
 */
export async function loadGroup(
  tickets: readonly GroupTicket[],
  transaction: Transaction,
  owner: KeyOwner,
  services: WriteServices,
  configuration: Configuration,
): Promise<LoadedGroup> {
  const { organizationId, applicationId } = owner
  const keys = tickets.flatMap(ticket => keyOf(ticket) ?? [])
  const load = (some: readonly GroupTicket[]) => lockAndLoadAll(some, transaction, owner, services, configuration)
  const [claims, loaded] = await Promise.all([
    claimAll(transaction, organizationId, applicationId, keys),
    load(tickets),
  ])
  if (claims.busy.size + claims.answers.size === 0) return { claims, ...loaded }
  const isOpen = (key: string | null) => key === null || !(claims.busy.has(key) || claims.answers.has(key))
  const open = tickets.filter(ticket => isOpen(keyOf(ticket)))
  const [, again] = await Promise.all([keepClaims(transaction), load(open)])
  return { claims, ...again }
}

/** The idempotency key of a ticket, if it has one. */
export function keyOf({ member }: GroupTicket): string | null {
  return member.writer.idempotency?.key ?? null
}

async function lockAndLoadAll(
  tickets: readonly GroupTicket[],
  transaction: Transaction,
  owner: KeyOwner,
  services: WriteServices,
  configuration: Configuration,
): Promise<Omit<LoadedGroup, 'claims'>> {
  const shared = new WorkingSet()
  const members = tickets.map(ticket => {
    return { ticket, asked: ticket.member.begin(configuration), work: new WorkingSet(shared) }
  })
  const all = new Round()
  for (const { asked } of members) all.include(asked.round)
  const [held] = await Promise.all([
    lockAndLoad(transaction, all, owner, shared, services.resources, 'try'),
    loadExtras(members, transaction, owner.organizationId),
  ])
  return { members, shared, held }
}

/** Loads the rows that rules ask for. Rows for which several ask are loaded once. */
async function loadExtras(
  members: readonly GroupMember[],
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
