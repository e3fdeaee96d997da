import type { MemberRole } from '../kernel/auth/index.ts'
import type { Database } from '../kernel/sql/index.ts'
import { selectInvitations } from './links/links.sql.ts'
import { selectMembers } from './members.sql.ts'
import { roleOf } from './roles.ts'

/** A member of an organization, or somebody who is invited. */
export interface ListedMember {
  /** The operator that the member is; null for an invitation. */
  readonly id: string | null
  readonly invitationId: string | null
  /** The version of the membership; null for an invitation. */
  readonly version: number | null
  readonly userId: string | null
  readonly name: string
  readonly email: string
  readonly role: MemberRole
  readonly active: boolean
  readonly state: 'member' | 'invited' | 'expired'
  /** Null if the member has not signed in for 90 days, or not since becoming a member. */
  readonly lastSignInAt: string | null
  /** The end of an invitation; null for a member. */
  readonly expiresAt: string | null
  readonly hasSecondFactor: boolean
}

/**
 * The members of an organization, the oldest first, and then the invitations that nobody has used: those that have expired are listed until
 * they are removed, a week later. `now` is in milliseconds.
 */
export async function listMembers(
  database: Database,
  organizationId: string,
  now: number,
): Promise<readonly ListedMember[]> {
  const [members, invitations] = await Promise.all([
    database.query(selectMembers, [organizationId]),
    database.query(selectInvitations, [organizationId, new Date(now).toISOString()]),
  ])
  return [
    ...members.map(row => ({
      id: String(row.id),
      invitationId: null,
      version: Number(row.version),
      userId: String(row.user_id),
      name: String(row.name),
      email: String(row.email),
      role: roleOf(row.role),
      active: row.active === true,
      state: 'member' as const,
      lastSignInAt: typeof row.last_sign_in_at === 'string' ? row.last_sign_in_at : null,
      expiresAt: null,
      hasSecondFactor: row.has_second_factor === true,
    })),
    ...invitations.map(row => ({
      id: null,
      invitationId: Buffer.isBuffer(row.secret_hash) ? row.secret_hash.toString('base64url') : '',
      version: null,
      userId: null,
      name: String(row.name),
      email: String(row.email),
      role: roleOf(row.role),
      active: true,
      state: row.is_open === true ? ('invited' as const) : ('expired' as const),
      lastSignInAt: null,
      expiresAt: String(row.expires_at),
      hasSecondFactor: false,
    })),
  ]
}
