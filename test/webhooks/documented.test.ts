import { expect, it } from 'vitest'
import { Outbound } from '../../server/src/kernel/outbound/index.ts'
import { isObject } from '../../server/src/kernel/schema/index.ts'
import { raiseEpochOf } from '../../server/src/kernel/sql/index.ts'
import { eventSources } from '../../server/src/modules.ts'
import { webhookBounds } from '../../server/src/webhooks/bounds.ts'
import { testWebhook } from '../../server/src/webhooks/test-webhook.ts'
import { admitted, doneTasks } from '../conformance/support/bulk-jobs.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { closed, jsonContent, nodeAt, schemasOf } from '../golden/document.ts'
import { goldenDocument } from '../golden/render.ts'
import { aCalledServer, type Received } from '../support/called-server.ts'
import { runJobs } from '../support/jobs.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { aNewContact, aWebhook, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()
const strict = closed(goldenDocument)
const schemaAt = schemasOf(isObject(strict) ? strict : {})

const receiving = () => aCalledServer((_, response) => response.end())

/** Expects what a receiver got to be a message of this name as the document describes it. */
function expectDocumented(name: string, received: Received | undefined): void {
  const at = `/webhooks/${name}/post`
  const validate = schemaAt(`${at}/requestBody${jsonContent}/schema`)
  const body: unknown = JSON.parse(received?.body ?? 'null')
  validate(body)
  expect({ errors: validate.errors ?? [], body }).toEqual({ errors: [], body })
  const headers = headersOf(at)
  const sent = Object.keys(received?.headers ?? {}).filter(header => /^(webhook|crm)-/u.test(header))
  expect(sent.filter(header => !headers.has(header))).toEqual([])
  expect([...headers].filter(([header, isRequired]) => isRequired && !sent.includes(header))).toEqual([])
}

/** The headers that the document lists for a message, and whether each is required. */
function headersOf(at: string): ReadonlyMap<string, boolean> {
  const { parameters } = nodeAt(goldenDocument, at)
  const named = Array.isArray(parameters) ? parameters.filter(isObject) : []
  return new Map(named.map(({ name, required }) => [String(name), required === true]))
}

it.each(['thin', 'full'] as const)('a delivery with a %s body is as the document says', async body => {
  const receiver = await receiving()
  const id = await aWebhook(around, receiver, { body, kinds: ['*', 'bulk_job.*'] })
  const contact = await aNewContact(around)
  await around.organization.client.delete(`/contacts/${contact}?expectedVersion=1&mode=full`)
  await aNewContact(around)
  await admitted(around.organization.client, doneTasks([await aRecord('task', around.organization)]))
  await runJobs(around.api)
  startDelivery(around.api)
  await untilPosition(around, id, { seq: 6 })
  const types = receiver.received.map(received => JSON.parse(received.body).type)
  expect(types.toSorted()).toEqual([
    'bulk_job.completed',
    'contact.created',
    'contact.created',
    'contact.deleted',
    'task.created',
    'task.updated',
  ])
  for (const received of receiver.received) expectDocumented('change', received)
})

it('a delivery of which scopes hide something is as the document says', async () => {
  const receiver = await receiving()
  const id = await aWebhook(around, receiver, { body: 'full', scopes: ['crm_contacts_read'] })
  await aNewContact(around)
  startDelivery(around.api)
  await untilPosition(around, id, { seq: 1 })
  const [received] = receiver.received
  expect(JSON.parse(received?.body ?? '')).toHaveProperty('meta.redacted')
  expectDocumented('change', received)
})

it('updates that were merged, and a record that is too large, are as the document says', async () => {
  let status = 503
  const receiver = await aCalledServer((_, response) => void response.writeHead(status).end())
  const id = await aWebhook(around, receiver, { body: 'full', kinds: ['contact.updated'] })
  setBound(webhookBounds.webhookBody, 800)
  const contact = await aNewContact(around)
  for (const [index, firstName] of ['One', 'Two', 'Three'].entries())
    await around.organization.client.patch(`/contacts/${contact}`, { expectedVersion: index + 1, firstName })
  startDelivery(around.api)
  await untilPosition(around, id, { state: 'held' })
  status = 200
  around.clock.advance(6000)
  await untilPosition(around, id, { seq: 4 })
  const received = receiver.received.find(({ body }) => body.includes('"coalesced":'))
  expect(JSON.parse(received?.body ?? '')).toMatchObject({ data: { coalesced: expect.any(Number), bodyOmitted: true } })
  expectDocumented('change', received)
})

it('a test and the loss of events are as the document says', async () => {
  const receiver = await receiving()
  const id = await aWebhook(around, receiver)
  await around.api.test.database.query(raiseEpochOf, [around.organization.id])
  startDelivery(around.api)
  await until('feed.reset', () => receiver.received.length === 1)
  expectDocumented('feed.reset', receiver.received[0])
  const outbound = new Outbound({ allowedNetworks: ['127.0.0.0/8'] })
  const parts = { ...around.api.test, outbound, clock: around.clock }
  await testWebhook({ organizationId: around.organization.id, id }, parts)
  expectDocumented('webhook.test', receiver.received[1])
})

it('the pause of another webhook is as the document says', async () => {
  const gone = await aCalledServer((_, response) => void response.writeHead(410).end())
  await aWebhook(around, gone)
  const receiver = await receiving()
  await aWebhook(around, receiver, { kinds: ['task.created'] })
  await aNewContact(around)
  startDelivery(around.api)
  await until('the notice', () => receiver.received.length === 1)
  expectDocumented('webhook.paused', receiver.received[0])
})

it('the document names all kinds of events', () => {
  const { description } = nodeAt(goldenDocument, '/webhooks/change/post')
  const kinds = eventSources.flatMap(source => source.kinds)
  expect(kinds.length).toBeGreaterThan(20)
  expect(kinds.filter(kind => !String(description).includes(`\`${kind}\``))).toEqual([])
})
