import type { AddressClass } from '../../kernel/auth/index.ts'
import { type Clock, malformed, Refusal, refuse, type Secret } from '../../kernel/index.ts'
import { type Issue, newId, violates } from '../../kernel/schema/index.ts'
import type { Database, Transaction } from '../../kernel/sql/index.ts'
import { type Administration, AdministrationError, createOrganization } from '../../settings/index.ts'
import { noteAccountEvent } from '../account-events.ts'
import { endSessions } from '../end-sessions.ts'
import { inOneTransaction } from '../in-one-transaction.ts'
import { addMember } from '../members.ts'
import { addMembership, needMembers } from '../membership.ts'
import { inspectPerson, type Person, tidyPerson } from '../person.rules.ts'
import { deleteLinksOfUser, lockUserToChange } from '../users.sql.ts'
import { addUser } from '../users.ts'
import { type FoundLink, foundLink, type LinkAccount, notValid } from './found-link.ts'
import { consumeLink, findAnyUser, lockInstallation, proveUser, setPassword } from './links.sql.ts'
import { type LinkNeed, needsOf } from './look-at-link.ts'

/** What a person gives with a link. */
export interface LinkUse {
  readonly text: string
  /** The user of the session; null without one. */
  readonly signedInUserId: string | null
  /** The session that stays when a new password ends the others. */
  readonly sessionId?: string | null
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly locale?: string | undefined
  readonly organizationName?: string | undefined
  /** The hash of the chosen password; null without one. Its rules were checked before. */
  readonly passwordHash: string | null
  /** Uses the given code of the second factor, in the transaction in which the link is used: whether it was right. Null without a code. */
  readonly useFactor: ((transaction: Transaction) => Promise<boolean>) | null
  readonly addressClass: AddressClass
}

/** Who may be signed in now, and the organization that the link was about. */
export interface UsedLink {
  readonly userId: string
  readonly organizationId: string | null
}

export interface LinkParts {
  readonly database: Database
  readonly secret: Secret
  readonly clock: Clock
}

/**
 * Uses a link, in one transaction with what it does: of two at once, one is refused. An invitation only adds a membership: it makes an
 * account, or asks the user with the address to sign in. The account is proven if the link came by mail, and else as it was. A reset sets
 * the password and ends all sessions.
 *
 * Refuses a link that is not good (410), missing or invalid values (400), an account to sign in to first and a missing or wrong code (401), and what
 * the rules about members forbid (422).
 */
export async function useLink(use: LinkUse, parts: LinkParts): Promise<UsedLink | Refusal> {
  const link = await foundLink(use.text, parts.database, parts.clock.now())
  if (link instanceof Refusal) return link
  const refusal = whyRefused(needsOf(link, use.signedInUserId), use)
  if (refusal !== null) return refusal
  try {
    return await used(link, use, parts)
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    // The rules about members and organizations say why in one sentence.
    if (error instanceof AdministrationError) return violates('', 'membership', error.message)
    throw error
  }
}

/** Ends the transaction in which a link is used. */
class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

function used(link: FoundLink, use: LinkUse, parts: LinkParts): Promise<UsedLink> {
  const { account, kind, organization } = link
  if (kind === 'first') return foundInstallation(link, use, parts)
  if (kind !== 'invitation' || link.isOfNewUser) {
    if (account === null) throw new Refused(notValid(null))
    return openAccount(account, link, use, parts)
  }
  if (organization === null) throw new Refused(notValid(null))
  return join(organization.id, link, use, parts)
}

/** Signs in to the account of the link, with another password if the link is for that. */
async function openAccount(account: LinkAccount, link: FoundLink, use: LinkUse, parts: LinkParts): Promise<UsedLink> {
  const { database, clock } = parts
  const { id: userId, email } = account
  const setsPassword = link.kind !== 'sign_in'
  await inOneTransaction(database, async transaction => {
    // Before the link, in the order of changes of a user.
    await transaction.query(lockUserToChange, [userId])
    await consume(link, clock, transaction)
    const needsCode = needsOf(link, use.signedInUserId).includes('code')
    if (needsCode && (await use.useFactor?.(transaction)) !== true) throw new Refused(refuse('sign_in_refused'))
    if (setsPassword) {
      const values = [userId, use.passwordHash, new Date(clock.now()).toISOString()]
      if ((await transaction.query(setPassword, values)).length === 0) throw new Refused(notValid(null))
      await transaction.query(deleteLinksOfUser, [userId, email])
      await endSessions(userId, use.sessionId ?? null, transaction)
    }
    await noteUse(userId, setsPassword ? 'password_reset' : 'link_used', link, use, clock, transaction)
  })
  return { userId, organizationId: null }
}

/** Makes the person a member. Somebody without an account gets one. */
async function join(organizationId: string, link: FoundLink, use: LinkUse, parts: LinkParts): Promise<UsedLink> {
  const { account, role, email, invitedBy } = link
  const administration: Administration = {
    ...parts,
    ...(invitedBy === null ? {} : { author: { type: 'user', uuid: invitedBy, jobId: null } }),
  }
  const user = account ?? { id: newId(), ...tidyPerson({ email: email ?? '', name: use.name ?? link.name ?? '' }) }
  await addMember(administration, { organizationId, user, role: role ?? 'read_only' }, async transaction => {
    await consume(link, parts.clock, transaction)
    if (account === null) await addAccount(user, link.isMailed, use, parts, transaction)
    else if (link.isMailed) await transaction.query(proveUser, [account.id, new Date(parts.clock.now()).toISOString()])
    await noteUse(user.id, 'link_used', link, use, parts.clock, transaction)
  })
  return { userId: user.id, organizationId }
}

/** Founds the first organization with its owner, as long as there is no user. */
async function foundInstallation(link: FoundLink, use: LinkUse, parts: LinkParts): Promise<UsedLink> {
  const { email = '', name = '', organizationName = '' } = use
  const user = { id: newId(), ...tidyPerson({ email, name }) }
  const { id: organizationId } = await createOrganization(parts, { name: organizationName }, id => ({
    needs: needs => needMembers(needs, id),
    decide: draft => addMembership(draft, { user, role: 'owner' }),
    async sweep(transaction) {
      await transaction.query(lockInstallation, [])
      if ((await transaction.query(findAnyUser, [])).length > 0) throw new Refused(notValid(null))
      await consume(link, parts.clock, transaction)
      await addAccount(user, true, use, parts, transaction)
      await noteUse(user.id, 'link_used', link, use, parts.clock, transaction)
    },
  }))
  return { userId: user.id, organizationId }
}

async function addAccount(
  user: Person & { readonly id: string },
  isProven: boolean,
  { passwordHash, locale }: LinkUse,
  { clock }: LinkParts,
  transaction: Transaction,
): Promise<void> {
  const account = { ...user, isProven, passwordHash, ...(locale === undefined ? {} : { locale }) }
  await addUser(account, clock.now(), transaction)
}

async function consume({ secretHash }: FoundLink, clock: Clock, transaction: Transaction): Promise<void> {
  const rows = await transaction.query(consumeLink, [secretHash, new Date(clock.now()).toISOString()])
  if (rows.length === 0) throw new Refused(notValid(null))
}

async function noteUse(
  userId: string,
  event: 'link_used' | 'password_reset',
  { kind, organization }: FoundLink,
  { addressClass }: LinkUse,
  clock: Clock,
  transaction: Transaction,
): Promise<void> {
  const detail = { kind, ...(organization === null ? {} : { organizationId: organization.id }) }
  await noteAccountEvent({ userId, event, addressClass, detail, at: clock.now() }, transaction)
}

/** Why the given values do not suffice; null if they do. */
function whyRefused(needs: readonly LinkNeed[], use: LinkUse): Refusal | null {
  if (needs.includes('sign_in')) return refuse('not_signed_in')
  if (needs.includes('code') && use.useFactor === null) return refuse('second_factor_required')
  const { email, name, organizationName, passwordHash } = use
  const given: Readonly<Record<string, unknown>> = {
    email,
    organization_name: organizationName,
    password: passwordHash,
  }
  const missing = needs.flatMap((need): Issue[] =>
    need in given && (given[need] === undefined || given[need] === null)
      ? [{ path: `/${pointers[need] ?? need}`, rule: 'required', message: 'is required' }]
      : [],
  )
  const issues = [...missing, ...inspectPerson(tidyPerson(withoutUndefined({ email, name })))]
  return issues.length === 0 ? null : malformed(issues)
}

const pointers: Partial<Readonly<Record<LinkNeed, string>>> = { organization_name: 'organizationName' }

function withoutUndefined({ email, name }: { readonly email: string | undefined; readonly name: string | undefined }) {
  return { ...(email === undefined ? {} : { email }), ...(name === undefined ? {} : { name }) }
}
