import { type MemberRole, memberRoles } from '../kernel/auth/index.ts'
import { defineNested, type Needs, type RecordState, Refusal, type SettingsDraft } from '../kernel/index.ts'
import { Lookup } from '../kernel/record/index.ts'
import { computed, violates } from '../kernel/schema/index.ts'
import { claimedStatement } from '../kernel/sql/index.ts'
import { application, operator, organization } from '../settings/index.ts'
import { peopleBounds } from './bounds.ts'

/** What a user is in an organization. Its id is that of the operator that the user is there. */
export const membership = defineNested({
  kind: 'membership',
  plural: 'memberships',
  title: 'Membership',
  table: 'memberships',
  parent: organization,
  parentMember: 'organizationId',
  part: 'members',
  most: null,
  order: { field: 'createdAt', direction: 'asc' },
  fields: {
    userId: computed('', {
      column: 'uuid',
      schema: { type: 'string', format: 'uuid' },
      // The operator has the id of the membership itself.
      namesSettings: { operator: () => 't.id = $2::uuid' },
    }),
    role: computed<string>('member', { column: 'text', schema: { type: 'string', enum: [...memberRoles] } }),
  },
})

/** The name of the hidden application that stands for the cabinet. */
const cabinetName = 'Cabinet'

// An owner whose account is not active cannot act for the organization.
const inactiveMembers = new Lookup(
  claimedStatement(
    'select_inactive_members',
    `select m.id from memberships m join users u on u.id = m.user_id where m.organization_id = $1 and not u.active`,
  ),
  [],
  rows => new Set(rows.map(({ id }) => String(id))),
)

/** What each change of members reads. */
export function needMembers(needs: Needs, organizationId: string): void {
  needs.toLoadNestedIn(membership, organizationId)
  needs.toLoadNestedIn(operator, organizationId)
  needs.toLoadNestedIn(application, organizationId)
  needs.toLoad(inactiveMembers)
}

/** The user who becomes a member. */
export interface NewMember {
  readonly user: { readonly id: string; readonly email: string; readonly name: string }
  readonly role: MemberRole
}

/**
 * Makes a user a member: the operator with the same e-mail address, or a new one. The first member brings the hidden application. Needs what
 * `needMembers` loads.
 */
export function addMembership(draft: SettingsDraft, { user, role }: NewMember): RecordState | Refusal {
  const members = draft.all(membership)
  if (members.some(({ userId }) => userId === user.id))
    return violates('/email', 'unique', `${user.email} is a member of the organization already`)
  const { most } = peopleBounds.organizationMembers
  if (members.length >= most) return violates('', 'limit', `the organization has ${most} members, and cannot have more`)
  const person = adoptOperator(draft, user, members)
  if (person instanceof Refusal) return person
  const cabinet = ensureCabinet(draft)
  if (cabinet instanceof Refusal) return cabinet
  return draft.add(membership, {}, { id: person.id, userId: user.id, role })
}

/** Changes the role of a member with this version, or whatever version it has. The last owner keeps it. */
export function changeRole(
  draft: SettingsDraft,
  member: RecordState,
  role: MemberRole,
  expectedVersion?: number,
): RecordState | Refusal {
  if (role !== 'owner' && isLastOwner(draft, member)) return lastOwner
  return draft.alter(membership, member, { expectedVersion }, { role })
}

/** Ends a membership. The operator becomes inactive, and records keep it as their owner. */
export function endMembership(draft: SettingsDraft, member: RecordState): RecordState | Refusal {
  if (isLastOwner(draft, member)) return lastOwner
  draft.remove(membership, member)
  const person = draft.record(operator, member.id)
  return person?.active === true ? draft.alter(operator, person, { active: false }) : member
}

const lastOwner = violates('', 'last_owner', 'the organization needs an owner: make another member one first')

function isLastOwner(draft: SettingsDraft, member: RecordState): boolean {
  if (member.role !== 'owner') return false
  const inactive = draft.read(inactiveMembers)
  return !draft.all(membership).some(({ id, role }) => id !== member.id && role === 'owner' && !inactive.has(id))
}

function adoptOperator(
  draft: SettingsDraft,
  { email, name }: NewMember['user'],
  members: readonly RecordState[],
): RecordState | Refusal {
  const known = draft.all(operator).find(each => String(each.email).toLowerCase() === email.toLowerCase())
  if (known === undefined) return draft.add(operator, { name, email })
  if (members.some(({ id }) => id === known.id))
    return violates('/email', 'unique', `another member is the operator with the e-mail address ${email}`)
  return known.active === true ? known : draft.alter(operator, known, { active: true })
}

function ensureCabinet(draft: SettingsDraft): RecordState | Refusal {
  const known = draft.all(application).find(({ kind }) => kind === 'cabinet')
  return known ?? draft.add(application, { name: cabinetName }, { kind: 'cabinet' })
}
