import { expect, test } from 'vitest'
import { bodyOfWebhook, valuesOfWebhook } from './webhook.ts'

test('filters and headers are typed in lines, and sent as the server takes them', () => {
  const typed = {
    name: 'ERP',
    kinds: ['deal.*', ''],
    filter: ['status=open', 'status=won', ' ownerUuid = a=b '],
    headers: ['Authorization: Bearer a:b', ''],
    tokenId: '',
  }
  expect(bodyOfWebhook(typed)).toEqual({
    name: 'ERP',
    kinds: ['deal.*'],
    filter: { status: ['open', 'won'], ownerUuid: ['a=b'] },
    headers: [{ name: 'Authorization', value: 'Bearer a:b' }],
    tokenId: null,
  })
})

test('a webhook that is shown in its form and sent back is the same', () => {
  const webhook = {
    id: '1',
    version: 1,
    applicationId: '2',
    name: 'ERP',
    url: 'https://hooks.example',
    kinds: ['deal.*'],
    filter: { status: ['open', 'won'] },
    changedFields: [],
    body: 'thin',
    tokenId: null,
    ownChanges: 'send',
    concurrency: 10,
    headerNames: [],
    deliveries: { state: 'active', reason: null, since: null, nextAttempt: null, behind: 0, parkedEvents: 0 },
  } as const
  const { name, kinds, filter, changedFields, body, tokenId, ownChanges, concurrency } = webhook
  const sent = { name, kinds, filter, changedFields, body, tokenId, ownChanges, concurrency }
  expect(bodyOfWebhook(valuesOfWebhook(webhook))).toEqual(sent)
})
