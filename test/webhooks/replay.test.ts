import { describe, expect, it } from 'vitest'
import { raiseEpochOf, statement } from '../../server/src/kernel/sql/index.ts'
import { pauseWebhook, resumeWebhook } from '../../server/src/settings/index.ts'
import { latestDeliveries } from '../../server/src/webhooks/delivery-log.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { aCalledServer, type CalledServer, type Received } from '../support/called-server.ts'
import { until } from '../support/waiting.ts'
import { aReplay, range, replaysOf, untilReplay } from './replays.ts'
import { aNewContact, aWebhook, eventIn, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()
const second = 1000

const receiving = () => aCalledServer((_, response) => response.end())
const seqsOf = (received: readonly Received[]) => received.map(each => eventIn(each).seq)
const contacts = async (count: number) => {
  for (let made = 0; made < count; made += 1) await aNewContact(around)
}

/** A webhook that has received this many contacts, by a worker that goes on. */
async function delivered(receiver: CalledServer, count: number, asked: Parameters<typeof aWebhook>[2] = {}) {
  const id = await aWebhook(around, receiver, asked)
  const worker = startDelivery(around.api)
  await contacts(count)
  await untilPosition(around, id, { seq: count })
  return { id, ...worker }
}

describe('a replay', () => {
  it('sends a range again with the same ids and bodies, says so in a header, and leaves the position alone', async () => {
    const receiver = await receiving()
    const { id } = await delivered(receiver, 5)
    const first = [...receiver.received].sort((one, other) => eventIn(one).seq - eventIn(other).seq)
    const replayId = await aReplay(around, id, range(2, 4))
    await untilReplay(around, id, { id: replayId, state: 'ended' })
    const again = receiver.received.slice(5).sort((one, other) => eventIn(one).seq - eventIn(other).seq)
    expect(again.map(({ body, headers }) => [headers['webhook-id'], body])).toEqual(
      first.slice(1, 4).map(({ body, headers }) => [headers['webhook-id'], body]),
    )
    expect(first.map(({ headers }) => headers['crm-replay'])).toEqual(first.map(() => undefined))
    expect(again.map(({ headers }) => headers['crm-replay'])).toEqual([replayId, replayId, replayId])
    const counts = { from: 2, to: 4, chosen: null, position: 4, delivered: 3, failed: 0, gone: 0, reason: null }
    expect(await replaysOf(around, id)).toMatchObject([{ id: replayId, ...counts, endedAt: expect.any(String) }])
    await contacts(1)
    await untilPosition(around, id, { seq: 6 })
    expect(receiver.received.at(-1)?.headers['crm-replay']).toBeUndefined()
  })

  it('merges nothing: each update has the body that it has by itself', async () => {
    const receiver = await receiving()
    const { id } = await delivered(receiver, 1)
    const { resourceId } = eventIn(receiver.received[0] ?? { method: '', path: '', headers: {}, body: '{}' })
    for (const version of [1, 2, 3]) {
      const change = { expectedVersion: version, firstName: `Anna ${version}` }
      await around.organization.client.patch(`/contacts/${resourceId}`, change)
      await untilPosition(around, id, { seq: version + 1 })
    }
    const bodies = receiver.received.map(({ body }) => body)
    await aReplay(around, id, range(1, 4))
    await untilReplay(around, id, { state: 'ended' })
    expect(receiver.received.slice(4).map(({ body }) => body)).toEqual(bodies)
  })

  it('is listed in the log with its calls, and has the audit entry of a command', async () => {
    const receiver = await receiving()
    const { id } = await delivered(receiver, 2)
    around.clock.advance(second)
    const replayId = await aReplay(around, id, { from: { seq: 2 }, to: { seq: 2 } })
    await untilReplay(around, id, { state: 'ended' })
    const { database } = around.api.test
    const asked = { organizationId: around.organization.id, id, isFailed: false, most: 9 }
    const log = await latestDeliveries(database, asked)
    expect(log.map(({ seq, replayId: by }) => [seq, by])).toEqual([
      [2, replayId],
      [2, null],
      [1, null],
    ])
    const audit = statement(
      'test_audit_of_replays',
      `select a.resource_id, a.actor_type, a.changes from audit_entries a where a.organization_id = $1 and a.action = 'webhook.replayed'`,
    )
    expect(await database.query(audit, [around.organization.id])).toEqual([
      {
        resource_id: id,
        actor_type: 'system',
        changes: [{ field: 'replay', before: null, after: { id: replayId, fromSeq: 2, toSeq: 2 } }],
      },
    ])
  })

  it('of times sends the events that happened between them', async () => {
    const receiver = await receiving()
    const { id } = await delivered(receiver, 1)
    around.clock.advance(10 * second)
    const from = around.clock.now()
    await contacts(2)
    around.clock.advance(10 * second)
    const to = around.clock.now() - second
    await contacts(1)
    await untilPosition(around, id, { seq: 4 })
    await aReplay(around, id, { from: { time: from }, to: { time: to } })
    await untilReplay(around, id, { state: 'ended', from: 2, to: 3, delivered: 2 })
    await aReplay(around, id, { from: { time: from } })
    await untilReplay(around, id, { state: 'ended', from: 2, to: 4, delivered: 3 })
  })

  it('sends only what the webhook asks for, and no change of its own application if it skips these', async () => {
    const [receiver, other] = [await receiving(), await receiving()]
    const { id } = await delivered(receiver, 1)
    const skipping = await aWebhook(around, other, { ownChanges: 'skip' })
    const contact = eventIn(receiver.received[0] ?? { method: '', path: '', headers: {}, body: '{}' }).resourceId
    await around.organization.client.delete(`/contacts/${contact}?expectedVersion=1&mode=full`)
    const narrow = await aWebhook(around, other, { kinds: ['contact.deleted'] })
    await untilPosition(around, id, { seq: 2 })
    await untilPosition(around, skipping, { seq: 2 })
    for (const replayed of [skipping, narrow]) {
      await aReplay(around, replayed, range(1, 2))
      await untilReplay(around, replayed, { state: 'ended' })
    }
    expect(await replaysOf(around, skipping)).toMatchObject([{ delivered: 0, position: 2 }])
    expect(other.received.map(each => eventIn(each).type)).toEqual(['contact.deleted'])
    expect(await replaysOf(around, narrow)).toMatchObject([{ delivered: 1, position: 2 }])
  })

  it('sends both messages of an event of which there are two, with their ids', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { kinds: ['deal.created', 'deal.won'] })
    startDelivery(around.api)
    await aRecord('deal', around.organization, { stageUuid: around.organization.stages.won })
    await untilPosition(around, id, { seq: 2 })
    await aReplay(around, id, range(2, 2))
    await untilReplay(around, id, { state: 'ended', delivered: 2 })
    const told = receiver.received.map(({ headers, body }) => [headers['webhook-id'], body])
    expect(receiver.received.map(each => eventIn(each).type).slice(0, 2)).toEqual(['deal.created', 'deal.won'])
    expect(told.slice(2)).toEqual(told.slice(0, 2))
  })

  it('sends nothing about a person who was erased in the meantime', async () => {
    const [thin, full] = [await receiving(), await receiving()]
    const { id } = await delivered(thin, 0)
    const fullId = await aWebhook(around, full, { body: 'full' })
    await untilPosition(around, fullId, { token: 1 })
    const person = { firstName: 'Zacharias', contactData: { emails: [{ value: 'zacharias@acme.example' }] } }
    const { data } = await around.organization.client.post('/contacts', person)
    await untilPosition(around, fullId, { seq: 1 })
    expect(full.received[0]?.body).toContain('Zacharias')
    await around.organization.client.delete(`/contacts/${String(data.id)}?expectedVersion=1&mode=anonymize`)
    await untilPosition(around, id, { seq: 2 })
    await untilPosition(around, fullId, { seq: 2 })
    for (const replayed of [id, fullId]) {
      await aReplay(around, replayed, range(1, 2))
      await untilReplay(around, replayed, { state: 'ended', delivered: 2 })
    }
    const again = [...thin.received.slice(2), ...full.received.slice(2)].map(({ body }) => body)
    expect(again).toHaveLength(4)
    for (const body of again) expect(body).not.toMatch(/zacharias/iu)
  })

  it('has the rights that the webhook has when it is sent', async () => {
    const receiver = await receiving()
    const { id, stop } = await delivered(receiver, 1)
    await stop()
    await aReplay(around, id, range(1, 1))
    const narrow = statement(
      'test_narrow_scopes_of_replay',
      `update api_tokens set scopes = '{crm_deals_read}' where organization_id = $1`,
    )
    await around.api.test.database.query(narrow, [around.organization.id])
    startDelivery(around.api)
    await untilReplay(around, id, { state: 'ended', delivered: 0, failed: 0 })
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a replay of what has failed', () => {
  it('sends the events that wait for another attempt or were refused, until they are delivered', async () => {
    const refused = new Set([2, 3])
    const receiver = await aCalledServer((_, response) => {
      const { seq } = eventIn(receiver.received.at(-1) ?? { method: '', path: '', headers: {}, body: '{}' })
      response.writeHead(refused.has(seq) ? 400 : 200).end()
    })
    const since = around.clock.now() - second
    const { id } = await delivered(receiver, 4)
    refused.delete(2)
    around.clock.advance(second)
    await aReplay(around, id, { failedSince: since })
    await untilReplay(around, id, { state: 'ended', from: 2, to: 3, chosen: 2, delivered: 1, failed: 1 })
    refused.clear()
    around.clock.advance(second)
    await aReplay(around, id, { failedSince: since })
    await untilReplay(around, id, { state: 'ended', from: 3, to: 3, chosen: 1, delivered: 1, failed: 0 })
    around.clock.advance(second)
    const none = 'no event that has failed since that time is still undelivered'
    await expect(aReplay(around, id, { failedSince: since })).rejects.toThrow(none)
    await expect(aReplay(around, id, { failedSince: around.clock.now() })).rejects.toThrow(none)
  })

  it('sends those that were given up, and none that a receiver has taken after it was down', async () => {
    let status = 503
    const receiver = await aCalledServer((_, response) => void response.writeHead(status).end())
    const since = around.clock.now() - second
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await contacts(1)
    await untilPosition(around, id, { state: 'held' })
    status = 200
    around.clock.advance(5 * second)
    await untilPosition(around, id, { seq: 1, state: 'active' })
    await contacts(1)
    await untilPosition(around, id, { seq: 2 })
    const giveUp = statement(
      'test_give_event_up',
      `insert into webhook_failures (organization_id, subscription_id, at, seq, resource_id, attempt, status, failure, took)
       values ($1, $2, $3, 2, gen_random_uuid(), 10, 400, 'status', 1)`,
    )
    around.clock.advance(second)
    const at = new Date(around.clock.now()).toISOString()
    await around.api.test.database.query(giveUp, [around.organization.id, id, at])
    await aReplay(around, id, { failedSince: since })
    await untilReplay(around, id, { state: 'ended', from: 2, to: 2, chosen: 1, delivered: 1 })
  })

  it('sends none of the events between them', async () => {
    const receiver = await receiving()
    const { id } = await delivered(receiver, 6)
    await aReplay(around, id, { only: [1, 6] })
    await untilReplay(around, id, { state: 'ended', chosen: 2, delivered: 2 })
    expect(seqsOf(receiver.received.slice(6)).toSorted()).toEqual([1, 6])
  })
})

describe('a receiver that', () => {
  it('refuses an event of a replay does not get it again, and gets the others', async () => {
    const refused = new Set<number>()
    const receiver = await aCalledServer((_, response) => {
      const { seq } = eventIn(receiver.received.at(-1) ?? { method: '', path: '', headers: {}, body: '{}' })
      response.writeHead(refused.has(seq) ? 422 : 200).end()
    })
    const { id } = await delivered(receiver, 4)
    refused.add(2)
    around.clock.advance(second)
    const replayId = await aReplay(around, id, range(1, 4))
    await untilReplay(around, id, { state: 'ended', delivered: 3, failed: 1 })
    const asked = { organizationId: around.organization.id, id, isFailed: true, most: 9 }
    expect(await latestDeliveries(around.api.test.database, asked)).toMatchObject([{ seq: 2, status: 422, replayId }])
    refused.clear()
    await aReplay(around, id, { failedSince: around.clock.now() - second })
    await untilReplay(around, id, { state: 'ended', from: 2, chosen: 1, delivered: 1 })
  })

  it('is down holds a replay until it takes an event, and the webhook goes on by itself', async () => {
    let isDown = false
    const receiver = await aCalledServer(
      (request, response) =>
        void response.writeHead(isDown && request.headers['crm-replay'] !== undefined ? 503 : 200).end(),
    )
    const { id } = await delivered(receiver, 3)
    isDown = true
    await aReplay(around, id, range(1, 3))
    await untilReplay(around, id, { state: 'held', reason: 'status', delivered: 0, failed: 0 })
    await contacts(1)
    await untilPosition(around, id, { seq: 4, state: 'active' })
    isDown = false
    around.clock.advance(5 * second)
    await untilReplay(around, id, { state: 'ended', delivered: 3, failed: 0 })
  })

  it('answers 410 to a replay stops it until the webhook is resumed', async () => {
    let isGone = false
    const receiver = await aCalledServer((_, response) => void response.writeHead(isGone ? 410 : 200).end())
    const { id } = await delivered(receiver, 2)
    isGone = true
    await aReplay(around, id, range(1, 2))
    await untilReplay(around, id, { state: 'paused', reason: 'gone' })
    isGone = false
    around.clock.advance(second)
    await resumeWebhook({ ...around.api.test, clock: around.clock }, { organizationId: around.organization.id, id })
    await untilReplay(around, id, { state: 'ended', delivered: 2 })
  })
})

describe('a replay waits', () => {
  it('while its webhook is held', async () => {
    let isDown = false
    const receiver = await aCalledServer((_, response) => void response.writeHead(isDown ? 503 : 200).end())
    const { id } = await delivered(receiver, 2)
    const other = await aWebhook(around, await receiving())
    isDown = true
    await contacts(1)
    await untilPosition(around, id, { state: 'held' })
    const calls = receiver.received.length
    await aReplay(around, id, range(1, 2))
    const selectTaken = statement(
      'test_select_taken_replays',
      'select 1 as taken from webhook_replays y where y.organization_id = $1 and y.token > 0',
    )
    const taken = () => around.api.test.database.query(selectTaken, [around.organization.id])
    await until('the worker to have it', async () => (await taken()).length > 0)
    // What a worker sends after it has taken the replay, another webhook receives.
    for (const seq of [4, 5]) {
      await contacts(1)
      await untilPosition(around, other, { seq })
    }
    expect(receiver.received).toHaveLength(calls)
    isDown = false
    around.clock.advance(5 * second)
    await untilReplay(around, id, { state: 'ended', delivered: 2 })
    expect(receiver.received[calls]?.headers['crm-replay']).toBeUndefined()
  })

  it('while its webhook is paused by a command', async () => {
    const receiver = await receiving()
    const { id } = await delivered(receiver, 2)
    const address = { organizationId: around.organization.id, id }
    await pauseWebhook(around.api.test, address)
    await aReplay(around, id, range(1, 2))
    expect(await replaysOf(around, id)).toMatchObject([{ state: 'active', delivered: 0, position: 0 }])
    await resumeWebhook(around.api.test, address)
    await untilReplay(around, id, { state: 'ended', delivered: 2 })
  })

  it('for the one before it', async () => {
    const receiver = await receiving()
    const { id, stop } = await delivered(receiver, 4)
    await stop()
    const first = await aReplay(around, id, range(1, 4))
    around.clock.advance(second)
    const next = await aReplay(around, id, range(2, 3))
    startDelivery(around.api)
    await untilReplay(around, id, { id: next, state: 'ended' })
    const order = receiver.received.slice(4).map(({ headers }) => headers['crm-replay'])
    expect(order).toEqual([first, first, first, first, next, next])
  })
})

describe('a feed that', () => {
  it('drops events meanwhile leaves them out of a replay, which counts them', async () => {
    const receiver = await receiving()
    const { id, stop } = await delivered(receiver, 5)
    await stop()
    await aReplay(around, id, range(1, 5))
    const drop = statement(
      'test_drop_replayed_changes',
      `with gone as (delete from changes c where c.organization_id = $1 and c.seq < 4)
       update organization_feed f set oldest_seq = 4 where f.organization_id = $1`,
    )
    await around.api.test.database.query(drop, [around.organization.id])
    startDelivery(around.api)
    await untilReplay(around, id, { state: 'ended', delivered: 2, gone: 3 })
    expect(seqsOf(receiver.received.slice(5)).toSorted()).toEqual([4, 5])
  })

  it('is another one since the database was restored ends a replay', async () => {
    const receiver = await receiving()
    const { id, stop } = await delivered(receiver, 2)
    await stop()
    await aReplay(around, id, range(1, 2))
    await around.api.test.database.query(raiseEpochOf, [around.organization.id])
    startDelivery(around.api)
    await untilReplay(around, id, { state: 'ended', reason: 'epoch', delivered: 0 })
    expect(receiver.received.slice(2).map(({ headers }) => headers['crm-replay'])).not.toContain(expect.any(String))
  })
})
