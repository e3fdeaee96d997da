import { type Bounds, forgotten, retried } from './bound.ts'

/** Bounds of sessions of users, and of passwords that are hashed. */
export const sessionBounds = {
  knownSessions: { most: 10_000, unit: 'entries', of: 'cached sessions of users', beyond: forgotten },
  knownMembers: { most: 10_000, unit: 'entries', of: 'cached memberships of users', beyond: forgotten },
  processHashes: {
    most: 2,
    unit: 'places',
    of: 'passwords that a process hashes at a time',
    beyond: 'waits for its turn',
  },
  addressHashes: {
    most: 1,
    unit: 'places',
    of: 'the same for one address (IPv6: one /64)',
    beyond: 'waits for its turn',
  },
  addressHashesWaiting: {
    most: 16,
    unit: 'requests',
    of: 'requests from one address that wait to have a password hashed',
    beyond: retried,
  },
  hashPlace: { most: 10_000, unit: 'milliseconds', of: 'the longest such wait', beyond: retried },
  hashInterval: {
    most: 100,
    unit: 'milliseconds',
    of: 'time between two hashes of passwords: a process makes 10 a second',
    beyond: 'waits for its turn',
  },
} as const satisfies Bounds
