import type { MemberRole } from '../kernel/auth/index.ts'
import { type Needs, raisePeopleGeneration, type SettingsDraft } from '../kernel/index.ts'
import { statement, type Transaction } from '../kernel/sql/index.ts'
import { type Administration, AdministrationError, administer, missing } from '../settings/index.ts'
import { endSessions } from './end-sessions.ts'
import { deleteInvitationsBy } from './links/links.sql.ts'
import { addMembership, changeRole, endMembership, membership, type NewMember, needMembers } from './membership.ts'

/** A member, by the id of the operator that the member is. */
export interface MemberAddress {
  readonly organizationId: string
  readonly id: string
}

/** A user whose account permits no further membership now. */
export class MayNotJoin extends AdministrationError {}

/**
 * Makes a user a member of an organization. `alsoIn` runs in the same transaction, before the rules about the user are checked. Resolves to
 * the id of the operator.
 *
 * Throws an `AdministrationError` for an unknown organization, a user who is a member already, and an organization that is full; a
 * `MayNotJoin` for a user who is not active, and for one who is not proven and a member elsewhere.
 */
export async function addMember(
  administration: Administration,
  { organizationId, ...member }: NewMember & { readonly organizationId: string },
  alsoIn: (transaction: Transaction) => Promise<void> = async () => {},
): Promise<{ readonly id: string }> {
  return administer(administration, organizationId, {
    needs: needs => needMembers(needs, organizationId),
    decide: draft => addMembership(draft, member),
    async sweep(transaction) {
      await alsoIn(transaction)
      await expectMayJoin(transaction, member.user)
      await transaction.query(raisePeopleGeneration, [])
    },
  }).then(({ id }) => ({ id }))
}

// The lock makes two organizations that a user joins at once see each other.
const lockUser = statement(
  'lock_user_to_join',
  'select u.active, u.proven from users u where u.id = $1 for no key update',
)

// A user belongs to the installation, so this look-up crosses organizations.
const findAnyMembership = statement('find_any_membership', 'select 1 from memberships m where m.user_id = $1 limit 1')

/**
 * The sender of an invitation to an address without an account may have opened it too. So an account belongs to one organization until it is
 * known to be of the person.
 */
async function expectMayJoin(transaction: Transaction, { id, email }: NewMember['user']): Promise<void> {
  const [user] = await transaction.query(lockUser, [id])
  if (user?.active !== true) throw new MayNotJoin(`the user ${email} is not active`)
  if (user.proven === true) return
  const [elsewhere] = await transaction.query(findAnyMembership, [id])
  if (elsewhere !== undefined)
    throw new MayNotJoin(`the user ${email} is not proven, and a member of another organization`)
}

/** The role that a member is to get. */
export interface NewRole extends MemberAddress {
  readonly role: MemberRole
  /** The version that the membership must have; any unless given. */
  readonly expectedVersion?: number
  /** The session of the user that does not end. */
  readonly keepSession?: string | null
}

/**
 * Changes the role of a member, and ends the sessions of the user but `keepSession`. Throws an `AdministrationError` for an unknown member,
 * for another version than the one expected, and for the last owner.
 */
export async function setMemberRole(
  administration: Administration,
  { organizationId, id, role, expectedVersion, keepSession = null }: NewRole,
): Promise<{ readonly id: string }> {
  return change(administration, { organizationId, id }, keepSession, (draft, member) =>
    changeRole(draft, member, role, expectedVersion),
  )
}

/**
 * Ends a membership: the operator becomes inactive, and records keep it as their owner. The account stays. Throws an `AdministrationError`
 * for an unknown member, and for the last owner.
 */
export async function removeMember(administration: Administration, address: MemberAddress): Promise<void> {
  await change(administration, address, undefined, endMembership)
}

/** Changes one member. Who is no owner then has no open invitations any more; sessions of the user end unless `keepSession` is undefined. */
async function change(
  administration: Administration,
  { organizationId, id }: MemberAddress,
  keepSession: string | null | undefined,
  decide: (draft: SettingsDraft, member: ReturnType<SettingsDraft['all']>[number]) => ReturnType<typeof changeRole>,
): Promise<{ readonly id: string }> {
  let userId = ''
  let isOwner = false
  await administer(administration, organizationId, {
    needs: (needs: Needs) => needMembers(needs, organizationId),
    decide(draft) {
      const member = draft.record(membership, id.toLowerCase())
      if (member === null) return missing('member', id)
      userId = String(member.userId)
      const changed = decide(draft, member)
      isOwner = draft.record(membership, member.id)?.role === 'owner'
      return changed
    },
    async sweep(transaction) {
      if (!isOwner) await transaction.query(deleteInvitationsBy, [organizationId, id.toLowerCase()])
      if (keepSession === undefined) await transaction.query(raisePeopleGeneration, [])
      else await endSessions(userId, keepSession, transaction)
    },
  })
  return { id: id.toLowerCase() }
}
