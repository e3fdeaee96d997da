import { type Bounds, mebibyte } from './bound.ts'

/** Bounds of what reads the change feed and waits for it. */
export const feedBounds = {
  feedScan: {
    most: 10_000,
    unit: 'entries',
    of: 'numbers of the change feed that one page reads',
    beyond: 'goes to the next page; `hasMore` is true',
  },
  organizationWaits: {
    most: 10,
    unit: 'requests',
    of: 'requests of one organization that wait for a change',
    beyond: 'is answered without waiting, with `Retry-After: 1`',
  },
  processWaits: {
    most: 512,
    unit: 'requests',
    of: 'the same for all organizations',
    beyond: 'is answered without waiting, with `Retry-After: 1`',
  },
  feedTailEvents: {
    most: 2000,
    unit: 'entries',
    of: 'cached events of an organization for which requests or webhooks wait',
    beyond: 'the oldest are read from the database again',
  },
  feedTailBytes: {
    most: mebibyte,
    unit: 'bytes',
    of: 'these events',
    beyond: 'the oldest are read from the database again',
  },
  processFeedTailBytes: {
    most: 32 * mebibyte,
    unit: 'bytes',
    of: 'the same for all organizations',
    beyond: 'each keeps its share',
  },
} as const satisfies Bounds
