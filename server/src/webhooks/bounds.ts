import { type Bounds, kibibyte, mebibyte } from '../kernel/limits/index.ts'
import { heldEvents } from './lane.rules.ts'
import { mostParked, mostParkedOfRecord } from './parked-events.rules.ts'

/** What webhooks can make a worker hold or do. */
export const webhookBounds = {
  webhookCalls: {
    most: 128,
    unit: 'places',
    of: 'calls of receivers of webhooks that a process makes at a time',
    beyond: 'waits for its turn',
  },
  organizationWebhookCalls: {
    most: 32,
    unit: 'places',
    of: 'the same for one organization',
    beyond: 'waits for its turn',
  },
  webhookConnections: {
    most: 256,
    unit: 'connections',
    of: 'open connections of a process to receivers of webhooks',
    beyond: 'the one that was idle for longest is closed',
  },
  organizationWebhookConnections: {
    most: 32,
    unit: 'connections',
    of: 'the same for one organization',
    beyond: 'the one that was idle for longest is closed',
  },
  webhookLookups: {
    most: 3,
    unit: 'places',
    of: 'host names of receivers of webhooks that a process looks up at a time',
    beyond: 'waits for its turn',
  },
  webhookCall: {
    most: 15_000,
    unit: 'milliseconds',
    of: 'time that one call of a receiver takes, until its whole answer has come',
    beyond: 'the call fails if the answer has not begun',
  },
  webhookAnswer: {
    most: 4 * kibibyte,
    unit: 'bytes',
    of: 'the answer of a receiver',
    beyond: 'the rest is not read, and the connection is closed',
  },
  webhookBody: {
    most: 256 * kibibyte,
    unit: 'bytes',
    of: 'the body of a delivery with its record',
    beyond: 'it is sent without the record, and says so',
  },
  webhookEvents: {
    most: heldEvents,
    unit: 'entries',
    of: 'events of one webhook that a worker holds, of 512 numbers at most',
    beyond: 'read when there is room',
  },
  webhookEventBytes: {
    most: 64 * mebibyte,
    unit: 'bytes',
    of: 'events of all webhooks that a worker holds',
    beyond: 'a webhook waits for its turn to read',
  },
  webhookParked: {
    most: mostParked,
    unit: 'entries',
    of: 'parked events of one webhook',
    beyond: 'the receiver counts as down until one of them is delivered',
  },
  recordWebhookParked: {
    most: mostParkedOfRecord,
    unit: 'entries',
    of: 'parked events of one record and webhook',
    beyond: 'the receiver counts as down until one of them is delivered',
  },
  replayedFailures: {
    most: 10_000,
    unit: 'entries',
    of: 'events of a replay with `--failed-since`',
    beyond: '`webhook replay` refuses; a range has no bound',
  },
  webhookLease: {
    most: 30_000,
    unit: 'milliseconds',
    of: 'time without a sign of life of a worker',
    beyond: 'others deliver its webhooks',
  },
  webhookPoll: {
    most: 1000,
    unit: 'milliseconds',
    of: 'interval in which a worker looks for events and due attempts',
    beyond: 'it looks',
  },
  webhookStop: {
    most: 10_000,
    unit: 'milliseconds',
    of: 'time that calls of receivers have to end when the process stops',
    beyond: 'the calls are abandoned; their events are sent again',
  },
} as const satisfies Bounds
