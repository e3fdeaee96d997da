import type { Bounds } from '../kernel/limits/index.ts'

/** What people can make an installation hold. */
export const peopleBounds = {
  users: {
    most: 10_000,
    unit: 'entries',
    of: 'users of an installation',
    beyond: 'no more can be made',
  },
  organizationMembers: {
    most: 1000,
    unit: 'entries',
    of: 'members of an organization',
    beyond: 'no more can be added',
  },
  organizationInvitations: {
    most: 200,
    unit: 'entries',
    of: 'open invitations of an organization',
    beyond: 'refused until one is used, canceled or seven days old',
  },
} as const satisfies Bounds
