import type { MemberRole } from '../kernel/auth/index.ts'
import { refuse } from '../kernel/index.ts'
import { lockNumber } from '../kernel/schema/index.ts'
import { type Administration, AdministrationError, noSuch, showOrganization } from '../settings/index.ts'
import { peopleBounds } from './bounds.ts'
import { inOneTransaction } from './in-one-transaction.ts'
import { type CreatedLink, createLink } from './links/create-link.ts'
import { countInvitations, deleteInvitation, lockLinks } from './links/links.sql.ts'
import { mailInvitation } from './mail/invitation-mail.ts'
import { lockOrganization, selectMembers } from './members.sql.ts'
import { inspectPerson, type Person, tidyPerson } from './person.rules.ts'
import { clockOf, note } from './users.ts'

export interface Invitation extends Person {
  /** Whether the server sends mail, and so a link of its own to the address. */
  readonly mails?: boolean
  readonly organizationId: string
  readonly role: MemberRole
  /** The operator who invites; null for the operator of the installation. */
  readonly invitedBy: string | null
}

/** The link of an invitation that is shown to the inviter, and whether another one is mailed. */
export interface SentInvitation extends CreatedLink {
  readonly isMailed: boolean
}

/**
 * Invites a person to an organization, in the same way whether or not the address has an account. An earlier invitation of the address is no
 * longer good. Throws an `AdministrationError` for an unknown organization, an invalid address or name, a person who is a member, a sender who
 * is no owner any more, and an organization with as many open invitations as it may have.
 */
export async function inviteMember(administration: Administration, invitation: Invitation): Promise<SentInvitation> {
  const { database, secret } = administration
  const { email, name, role, invitedBy, mails = false } = tidyPerson(invitation)
  const [issue] = inspectPerson({ email, name })
  if (issue !== undefined) throw new AdministrationError(issue.message)
  const organizationId = String((await showOrganization(database, invitation.organizationId)).id)
  const clock = clockOf(administration)
  const now = clock.now()
  return inOneTransaction(database, async transaction => {
    // Changes of members hold this lock: either they see this invitation, or it sees them.
    const locked = await transaction.query(lockOrganization, [organizationId])
    if (locked.length === 0) throw noSuch('organization', organizationId)
    await transaction.query(lockLinks, [lockNumber('invitations', organizationId)])
    const members = await transaction.query(selectMembers, [organizationId])
    const isOwner = members.some(({ id, role }) => id === invitedBy && role === 'owner')
    if (invitedBy !== null && !isOwner) throw noOwner()
    if (members.some(member => String(member.email).toLowerCase() === email.toLowerCase()))
      throw new AdministrationError(`${email} is a member of the organization already`)
    const link = { kind: 'invitation', email, name, organizationId, role, invitedBy } as const
    const created = await createLink(link, now, transaction)
    const [row] = await transaction.query(countInvitations, [organizationId, new Date(now).toISOString()])
    const { most } = peopleBounds.organizationInvitations
    if (Number(row?.open) > most)
      throw new AdministrationError(`the organization has ${most} open invitations: cancel one first`)
    await note(administration, null, 'member_invited', { organizationId, email, role }, transaction)
    const mailed = { organizationId, email, text: created.text }
    const isMailed = mails && (await mailInvitation(mailed, { secret, clock }, transaction))
    return { ...created, isMailed }
  })
}

function noOwner(): AdministrationError {
  const needed = ['members_manage']
  const refusal = refuse('insufficient_scope', { requiredScopes: needed, missingScopes: needed })
  return new AdministrationError('only an owner of the organization invites', refusal)
}

/** Cancels an open invitation. Throws an `AdministrationError` if there is none. */
export async function cancelInvitation(
  administration: Administration,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<void> {
  await inOneTransaction(administration.database, async transaction => {
    const [canceled] = await transaction.query(deleteInvitation, [organizationId, Buffer.from(id, 'base64url')])
    if (canceled === undefined) throw noSuch('invitation', id)
    const detail = { organizationId, email: canceled.email }
    await note(administration, null, 'invitation_canceled', detail, transaction)
  })
}
