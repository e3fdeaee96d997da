import type { OrganizationSettings } from '../schema/index.ts'

/** How long a session lives: without a request, in all, and how long after the password it counts as fresh. In milliseconds. */
export const sessionTimes = { idle: 12 * 3_600_000, absolute: 14 * 86_400_000, fresh: 600_000 }

/** A user with a session. Times are milliseconds since the epoch. */
export interface SignedIn {
  readonly session: {
    readonly id: string
    readonly createdAt: number
    /** When the password was last entered in this session. */
    readonly freshAt: number
    /** When it ends, whatever happens. */
    readonly expiresAt: number
  }
  readonly user: {
    readonly id: string
    readonly email: string
    readonly name: string
    readonly locale: string
    readonly hasSecondFactor: boolean
    /** Whether the address is known to be the user's. */
    readonly isProven: boolean
  }
}

/** What a user can be in an organization, the mightiest first. */
export const memberRoles = ['owner', 'manager', 'member', 'read_only'] as const

export type MemberRole = (typeof memberRoles)[number]

/** A user in an organization. */
export interface Member {
  /** The operator that the user is there, and the id of the membership. */
  readonly operatorId: string
  readonly role: MemberRole
  /** What the organization has decided about roles. */
  readonly switches: {
    readonly membersSeeContactData: boolean
    readonly membersSeeAmounts: boolean
    readonly managersManageIntegrations: boolean
  }
  readonly secondFactorRequired: boolean
  readonly organization: OrganizationSettings
  /** The application that stands for the cabinet. */
  readonly applicationId: string
}
