import type { Bounds } from './bound.ts'

/** Bounds of what pages of the cabinet count. */
export const countBounds = {
  countedRecords: {
    most: 10_000,
    unit: 'entries',
    of: 'records that a page of the cabinet has counted',
    beyond: 'the count says that there are more',
  },
  countTime: {
    most: 300,
    unit: 'milliseconds',
    of: 'time of such a count in the database',
    beyond: 'the count says that there are more',
  },
  countPortion: {
    most: 10_000,
    unit: 'entries',
    of: 'records that one statement of such a count looks at, which takes some 20 ms',
    beyond: 'continues with another statement',
  },
  facetRecords: {
    most: 10_000,
    unit: 'entries',
    of: 'records, the newest, whose values are counted for a filter',
    beyond: 'older records are left out, and the answer says so',
  },
  linkedCount: {
    most: 1000,
    unit: 'entries',
    of: 'records of one kind that are linked with a record and that its page counts; it names 20',
    beyond: 'the page says that there are more',
  },
} as const satisfies Bounds
