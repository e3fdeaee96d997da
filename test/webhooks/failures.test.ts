import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { webhookBounds } from '../../server/src/webhooks/bounds.ts'
import { aCalledServer } from '../support/called-server.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import {
  administered,
  aNewContact,
  aWebhook,
  beforeStatements,
  eventIn,
  positionOf,
  startDelivery,
  untilPosition,
  useWebhooks,
} from './support.ts'

const around = useWebhooks()
const second = 1000
const day = 24 * 60 * 60 * second

const answering =
  (status: number, headers = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end()

/** Patches a contact whose version is this. */
const changed = (contact: string, expectedVersion: number) =>
  around.organization.client.patch(`/contacts/${contact}`, { expectedVersion, firstName: `Anna ${expectedVersion}` })

const selectParked = statement(
  'test_select_parked',
  `select k.seq::integer as seq, k.attempts, k.last_status as status, k.next_at is null as waits
     from webhook_parked k where k.organization_id = $1 order by k.seq`,
)
const parked = () => around.api.test.database.query(selectParked, [around.organization.id])

const selectFailures = statement(
  'test_select_webhook_failures',
  `select f.seq::integer as seq, f.attempt, f.status, f.failure from webhook_failures f
    where f.organization_id = $1 order by f.at, f.seq, f.attempt`,
)
const failed = () => around.api.test.database.query(selectFailures, [around.organization.id])

describe('receivers that hang, refuse everything or break connections', () => {
  it('do not keep another one from getting all events', async () => {
    const hanging = await aCalledServer(() => {})
    const refusing = await aCalledServer(answering(500))
    const breaking = await aCalledServer((request, response) => void (request.socket ?? response.socket).destroy())
    const well = await aCalledServer(answering(200))
    const [h, r, b] = [
      await aWebhook(around, hanging),
      await aWebhook(around, refusing),
      await aWebhook(around, breaking),
    ]
    const id = await aWebhook(around, well)
    setBound(webhookBounds.webhookStop, 100)
    startDelivery(around.api)
    await Promise.all(Array.from({ length: 30 }, () => aNewContact(around)))
    await untilPosition(around, id, { seq: 30, state: 'active' })
    expect(new Set(well.received.map(each => eventIn(each).seq)).size).toBe(30)
    expect(well.received).toHaveLength(30)
    await untilPosition(around, r, { state: 'held', reason: 'failures' })
    await untilPosition(around, b, { state: 'held', reason: 'unreachable' })
    expect((await positionOf(around, h))?.seq).toBe(0)
    expect(refusing.received.length).toBeLessThan(16)
  })
})

describe('an event that is refused while others are taken', () => {
  it('is parked with the later ones of its record, and delivered later in order', async () => {
    let refused = ''
    const receiver = await aCalledServer((_, response) => {
      const last = receiver.received.at(-1)
      const isRefused = last !== undefined && eventIn(last).resourceId === refused
      response.writeHead(isRefused ? 500 : 200).end()
    })
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    refused = await aNewContact(around)
    const other = await aNewContact(around)
    await untilPosition(around, id, { seq: 2 })
    await changed(refused, 1)
    await untilPosition(around, id, { seq: 3 })
    await changed(refused, 2)
    await changed(other, 1)
    await untilPosition(around, id, { seq: 5, state: 'active' })
    expect(await parked()).toEqual([
      { seq: 1, attempts: 1, status: 500, waits: false },
      { seq: 4, attempts: 0, status: null, waits: true },
    ])
    expect(await failed()).toEqual([{ seq: 1, attempt: 1, status: 500, failure: 'status' }])
    around.clock.advance(6 * second)
    await until('the second attempt', async () => (await parked())[0]?.attempts === 2)
    refused = ''
    around.clock.advance(6 * 60 * second)
    await until('no parked event', async () => (await parked()).length === 0)
    const seqs = receiver.received
      .map(eventIn)
      .filter(({ resourceId }) => resourceId !== other)
      .map(({ seq }) => seq)
    expect(seqs).toEqual([1, 1, 1, 4])
    expect(receiver.received.map(each => each.headers['webhook-id']).slice(0, 1)).toEqual(
      receiver.received
        .filter(each => eventIn(each).seq === 1)
        .map(each => each.headers['webhook-id'])
        .slice(2),
    )
    const bodies = receiver.received.filter(each => eventIn(each).seq === 1).map(({ body }) => body)
    expect(new Set(bodies).size).toBe(1)
  })

  it('is given up after ten attempts, and the later ones of its record go on', async () => {
    const receiver = await aCalledServer((_, response) => {
      const last = receiver.received.at(-1)
      response.writeHead(last !== undefined && eventIn(last).seq === 1 ? 400 : 200).end()
    })
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    const contact = await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    await changed(contact, 1)
    await untilPosition(around, id, { seq: 2 })
    for (let attempt = 2; attempt <= 10; attempt += 1) {
      around.clock.advance(1.3 * day)
      await until('the end of the attempt', async () => (await failed()).length >= attempt)
    }
    await until('the end of the event', async () => (await parked()).length === 0)
    expect(receiver.received.map(each => eventIn(each).seq)).toEqual([...Array.from({ length: 10 }, () => 1), 2])
    expect((await failed()).map(({ attempt }) => attempt)).toEqual(Array.from({ length: 10 }, (_, n) => n + 1))
    await untilPosition(around, id, { state: 'active', seq: 2 })
  })
})

describe('a receiver that is down', () => {
  it('gets the oldest event as a probe, then everything', async () => {
    let status = 503
    const receiver = await aCalledServer((_, response) => void response.writeHead(status).end())
    const id = await aWebhook(around, receiver, { concurrency: 1 })
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { state: 'held', reason: 'status', failures: 1, seq: 0 })
    for (let count = 0; count < 4; count += 1) await aNewContact(around)
    around.clock.advance(5 * second)
    await untilPosition(around, id, { failures: 2 })
    expect(receiver.received.map(each => eventIn(each).seq)).toEqual([1, 1])
    status = 200
    around.clock.advance(29 * second)
    await aNewContact(around)
    around.clock.advance(second)
    await untilPosition(around, id, { state: 'active', seq: 6, failures: 0, reason: null })
    expect(receiver.received.map(each => eventIn(each).seq)).toEqual([1, 1, 1, 2, 3, 4, 5, 6])
    expect(await parked()).toEqual([])
  })

  it('gets everything when it is back, although hundreds of events that it does not want lie between two that it wants', async () => {
    let status = 503
    const receiver = await aCalledServer((_, response) => void response.writeHead(status).end())
    const id = await aWebhook(around, receiver, { kinds: ['task.created'] })
    const { client } = around.organization
    await client.post('/tasks', { title: 'The first' })
    for (let batch = 0; batch < 6; batch += 1) {
      const items = Array.from({ length: 100 }, (_, at) => ({ externalId: `${batch}-${at}`, firstName: 'Anna' }))
      await client.post('/contacts/batch/upsert', { items })
    }
    await client.post('/tasks', { title: 'The last' })
    startDelivery(around.api)
    await untilPosition(around, id, { state: 'held' })
    status = 200
    around.clock.advance(60 * second)
    await untilPosition(around, id, { state: 'active', seq: 602 })
    expect(receiver.received.map(each => eventIn(each).seq)).toEqual([1, 1, 602])
  })

  it('is left alone for as long as it asks', async () => {
    const receiver = await aCalledServer(answering(429, { 'retry-after': '1800' }))
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, {
      state: 'held',
      resume_at: new Date(around.clock.now() + 1800 * second).toISOString(),
    })
  })

  it('is paused after five days, and goes on when it is resumed', async () => {
    let status = 502
    const receiver = await aCalledServer((_, response) => void response.writeHead(status).end())
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { state: 'held' })
    around.clock.advance(5 * day)
    await untilPosition(around, id, { state: 'paused', reason: 'status' })
    status = 200
    around.clock.advance(day)
    await resumed(id)
    await untilPosition(around, id, { state: 'active', seq: 1 })
  })

  it('is paused at once when it answers 410', async () => {
    const receiver = await aCalledServer(answering(410))
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { state: 'paused', reason: 'gone', seq: 0 })
    await aNewContact(around)
    around.clock.advance(day)
    await resumed(id)
    await until('a call after the pause', () => receiver.received.length > 1)
  })

  it('is not followed to another address when it answers with a redirect', async () => {
    const elsewhere = await aCalledServer(answering(200))
    const receiver = await aCalledServer(answering(302, { location: `http://127.0.0.1:${elsewhere.port}/` }))
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    expect(await parked()).toMatchObject([{ seq: 1, attempts: 1, status: 302 }])
    expect(elsewhere.received).toEqual([])
  })
})

const resume = statement(
  'test_resume_webhook',
  `update webhook_subscriptions set resumed_at = $3, version = version + 1 where organization_id = $1 and id = $2`,
)

async function resumed(id: string): Promise<void> {
  const now = new Date(around.clock.now()).toISOString()
  await around.api.test.database.query(resume, [around.organization.id, id, now])
  await administered(around.api)
}

it('a look at the feeds that is older than a failure does not end the hold', async () => {
  let isDown = false
  const receiver = await aCalledServer((_, response) => void response.writeHead(isDown ? 503 : 200).end())
  const id = await aWebhook(around, receiver)
  startDelivery(around.api)
  await aNewContact(around)
  await untilPosition(around, id, { seq: 1, state: 'active' })
  let looks = 0
  beforeStatements(around, async name => {
    if (name === 'select_heads_for_webhooks') looks += 1
    // The worker knows the heads, and has not gone on with them.
    if (name !== 'select_open_webhook_replays' || isDown) return
    isDown = true
    await aNewContact(around)
    await untilPosition(around, id, { state: 'held' })
    looks = 0
  })
  await administered(around.api)
  await until('three more looks', () => isDown && looks >= 3)
  expect(await positionOf(around, id)).toMatchObject({ state: 'held', failures: 1 })
  expect(receiver.received).toHaveLength(2)
})
