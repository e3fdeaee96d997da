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
  readonly userId: string | null
  readonly name: string
  readonly email: string
  readonly role: MemberRole
  readonly active: boolean
  readonly state: 'member' | 'invited'
}

/** The members of an organization, the oldest first, and then its open invitations. `now` is in milliseconds. */
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
      userId: String(row.user_id),
      name: String(row.name),
      email: String(row.email),
      role: roleOf(row.role),
      active: row.active === true,
      state: 'member' as const,
    })),
    ...invitations.map(row => ({
      id: null,
      invitationId: Buffer.isBuffer(row.secret_hash) ? row.secret_hash.toString('base64url') : '',
      userId: null,
      name: String(row.name),
      email: String(row.email),
      role: roleOf(row.role),
      active: true,
      state: 'invited' as const,
    })),
  ]
}
