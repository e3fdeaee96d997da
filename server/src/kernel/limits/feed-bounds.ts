import { type Bounds, kibibyte, mebibyte, retried } from './bound.ts'

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
  userStreams: {
    most: 8,
    unit: 'requests',
    of: 'open live streams of one user of the cabinet',
    beyond: retried,
  },
  organizationStreams: {
    most: 200,
    unit: 'requests',
    of: 'open live streams of one organization',
    beyond: retried,
  },
  processStreams: { most: 1000, unit: 'requests', of: 'the same for all organizations', beyond: retried },
  streamChunk: {
    most: 16 * kibibyte,
    unit: 'bytes',
    of: 'events that a live stream sends before the client has read those before them',
    beyond: 'the client gets them when it has',
  },
  streamSilence: {
    most: 15_000,
    unit: 'milliseconds',
    of: 'silence on a live stream',
    beyond: 'a comment is sent, or how far the feed is',
  },
  streamCheck: {
    most: 500,
    unit: 'milliseconds',
    of: 'time after which a live stream asks again what its user may read',
    beyond: 'the stream ends if that has changed',
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
