import { describe, expect, it } from 'vitest'
import { raiseEpochOf, statement } from '../../server/src/kernel/sql/index.ts'
import { pauseWebhook } from '../../server/src/settings/index.ts'
import { latestDeliveries } from '../../server/src/webhooks/delivery-log.ts'
import { readDeliveryState } from '../../server/src/webhooks/delivery-state.ts'
import { summarizeWebhooks } from '../../server/src/webhooks/summary.ts'
import { aCalledServer } from '../support/called-server.ts'
import { anOrganization } from '../support/organization.ts'
import { aNewContact, aWebhook, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()
const second = 1000

const resume = statement(
  'test_resume_logged_webhook',
  'update webhook_subscriptions set resumed_at = $3 where organization_id = $1 and id = $2',
)

const logOf = (id: string, asked: { isFailed?: boolean; most?: number } = {}) =>
  latestDeliveries(around.api.test.database, {
    organizationId: around.organization.id,
    id,
    isFailed: false,
    most: 100,
    ...asked,
  })
const day = 24 * 60 * 60
const month = 30 * day
const stateOf = (id: string) => readDeliveryState(around.api.test.database, around.organization.id, id, month)

describe('the log of a webhook', () => {
  it('has deliveries and failed calls, the newest first, and no more than asked for', async () => {
    const answers = [200, 400, 200, 200]
    const receiver = await aCalledServer(
      (_, response) => void response.writeHead(answers[receiver.received.length - 1] ?? 200).end(),
    )
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    const contacts: string[] = []
    for (const seq of [1, 2, 3]) {
      contacts.push(await aNewContact(around))
      await untilPosition(around, id, { seq })
      around.clock.advance(second)
    }
    const one = {
      kind: 'contact.created',
      attempt: null,
      failure: null,
      milliseconds: expect.any(Number),
      answer: null,
      replayId: null,
    }
    const delivered = { ...one, outcome: 'delivered', status: 200, at: expect.stringMatching(/Z$/u) }
    const refused = { ...one, outcome: 'failed', status: 400, attempt: 1, at: expect.stringMatching(/Z$/u) }
    const failed = { ...refused, seq: 2, recordId: contacts[1] }
    const all = [
      { ...delivered, seq: 3, recordId: contacts[2] },
      failed,
      { ...delivered, seq: 1, recordId: contacts[0] },
    ]
    expect(await logOf(id)).toEqual(all)
    expect(await logOf(id, { most: 2 })).toEqual(all.slice(0, 2))
    expect(await logOf(id, { isFailed: true })).toEqual([failed])
    expect(await stateOf(id)).toMatchObject({
      state: 'active',
      position: 3,
      parkedEvents: 1,
      nextAttempt: expect.any(String),
    })
  })

  it('says why there was no answer', async () => {
    const id = await aWebhook(around, await aCalledServer(request => request.socket.destroy()))
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { state: 'held' })
    expect(await logOf(id)).toMatchObject([{ seq: 1, outcome: 'failed', status: null, failure: 'unreachable' }])
  })

  it('names feed.reset, which is about no record', async () => {
    const id = await aWebhook(around, await aCalledServer((_, response) => void response.writeHead(500).end()))
    await aNewContact(around)
    await around.api.test.database.query(raiseEpochOf, [around.organization.id])
    startDelivery(around.api)
    await untilPosition(around, id, { state: 'held' })
    expect((await logOf(id, { most: 1 }))[0]).toMatchObject({ seq: 1, kind: 'feed.reset', recordId: null, status: 500 })
    expect(await stateOf(id)).toMatchObject({ state: 'held', behind: null })
  })

  it('of another organization is empty', async () => {
    const receiver = await aCalledServer((_, response) => response.end())
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    const { id: organizationId } = await anOrganization(around.api)
    const { database } = around.api.test
    expect(await latestDeliveries(database, { organizationId, id, isFailed: false, most: 9 })).toEqual([])
    expect(await readDeliveryState(database, organizationId, id, month)).toBeNull()
  })
})

describe('the state of the deliveries of a webhook', () => {
  it('is that of its settings before a worker has had it', async () => {
    const id = await aWebhook(around, { port: 9 })
    const fresh = {
      state: 'active',
      reason: null,
      since: null,
      nextAttempt: null,
      eventsKeptUntil: null,
      parkedEvents: 0,
    }
    expect(await stateOf(id)).toEqual({ ...fresh, position: 0, head: 0, behind: 0 })
    const keptUntil = new Date(around.clock.now() + month * second).toISOString()
    await aNewContact(around)
    expect(await stateOf(id)).toEqual({ ...fresh, position: 0, head: 1, behind: 1, eventsKeptUntil: keptUntil })
    await pauseWebhook(around.api.test, { organizationId: around.organization.id, id })
    expect(await stateOf(id)).toMatchObject({ state: 'paused', reason: 'command' })
  })

  it('tells why and since when a receiver is held, when it is called again, and how far it is behind', async () => {
    const receiver = await aCalledServer((_, response) => void response.writeHead(503).end())
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    const at = around.clock.now()
    await aNewContact(around)
    await untilPosition(around, id, { state: 'held' })
    await aNewContact(around)
    expect(await stateOf(id)).toEqual({
      state: 'held',
      reason: 'status',
      since: new Date(at).toISOString(),
      nextAttempt: new Date(at + 5 * second).toISOString(),
      position: 0,
      head: 2,
      behind: 2,
      eventsKeptUntil: new Date(at + month * second).toISOString(),
      parkedEvents: 0,
    })
  })

  it('is paused after 410, until it is resumed', async () => {
    const receiver = await aCalledServer((_, response) => void response.writeHead(410).end())
    const id = await aWebhook(around, receiver)
    const { stop } = startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { state: 'paused' })
    expect(await stateOf(id)).toMatchObject({ state: 'paused', reason: 'gone', nextAttempt: null, behind: 1 })
    await stop()
    const at = new Date(around.clock.now() + second).toISOString()
    await around.api.test.database.query(resume, [around.organization.id, id, at])
    expect(await stateOf(id)).toMatchObject({ state: 'active', reason: null, behind: 1 })
    const { paused } = await summarizeWebhooks(around.api.test.database, around.clock.now(), month)
    expect(paused).toBe(0)
  })
})
