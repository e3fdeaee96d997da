import { expect, test } from 'vitest'
import { messageOf } from './message.ts'

const event = {
  id: 'e1',
  seq: 1,
  kind: 'contact.updated',
  resourceType: 'contact' as const,
  resourceId: 'c1',
  externalId: null,
  operation: 'updated' as const,
  version: 2,
  changedFields: [],
  mergedIntoId: null,
  mergedFromId: null,
  externalIdTombstoned: false,
  status: null,
  occurredAt: '2026-11-28T00:00:00.000Z',
  actorType: 'application' as const,
  applicationId: 'a1',
  requestId: 'r1',
  jobId: null,
  transactionId: 't1',
}

test('a record of more than 256 KiB is left out of a full body, which says so', () => {
  const bodyWith = (length: number) => {
    const shown = { record: { text: 'x'.repeat(length) }, redacted: ['tags'] }
    return JSON.parse(messageOf({ kind: event.kind, event }, 'w1', shown).body)
  }
  expect(bodyWith(262_144)).toEqual({
    type: event.kind,
    timestamp: event.occurredAt,
    data: { ...event, bodyOmitted: true },
  })
  expect(bodyWith(260_000)).toMatchObject({ data: { record: {} }, meta: { redacted: ['tags'] } })
})
