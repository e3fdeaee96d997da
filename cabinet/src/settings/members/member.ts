import type { Role } from '../../api/index.ts'
import type { SettingField } from '../setting-field.tsx'

/** A member of the organization, or a person who is invited. */
export interface ListedPerson {
  /** The operator that the member is; null for an invitation. */
  readonly id: string | null
  readonly invitationId: string | null
  readonly version: number | null
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly active: boolean
  readonly state: 'member' | 'invited' | 'expired'
  readonly expiresAt: string | null
  readonly hasSecondFactor?: boolean
  readonly lastSignInAt?: string | null
}

/** The link of an invitation, which no other answer has. */
export interface OpenInvitation {
  /** Its path: the page knows the address before it. */
  readonly link: string
  readonly expiresAt: string
  /** Whether a link of its own goes to the address by mail. */
  readonly mailed: boolean
}

/** What roles there are, the mightiest first. */
export const roleChoices = [
  { id: 'owner', name: 'Owner' },
  { id: 'manager', name: 'Manager' },
  { id: 'member', name: 'Member' },
  { id: 'read_only', name: 'Read-only' },
] as const

/** The fields of an invitation. */
export const invitationFields: readonly SettingField[] = [
  { name: 'email', label: 'E-mail', widget: 'text', isRequired: true, max: 254 },
  { name: 'name', label: 'Name', widget: 'text', isRequired: true, max: 200 },
  { name: 'role', label: 'Role', widget: 'choice', choices: roleChoices, isRequired: true },
]
