import { describe, expect, it, vi } from 'vitest'
import { KeptConnections, OutboundFailure } from '../../server/src/kernel/outbound/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { webhookBounds } from '../../server/src/webhooks/bounds.ts'
import { CallPlaces } from '../../server/src/webhooks/call-places.ts'
import { EventRoom } from '../../server/src/webhooks/event-room.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { aCalledServer } from '../support/called-server.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { administered, aNewContact, aWebhook, eventIn, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()

const disable = statement(
  'test_enable_application_of_webhook',
  'update applications set enabled = $2 where organization_id = $1',
)

const bounds = { connections: 3, perOwner: 2, callMilliseconds: 2000, answerBytes: 4096, lookups: 2 }
const kept = (asked: Partial<typeof bounds> = {}) =>
  new KeptConnections({ allowedNetworks: ['127.0.0.0/8'] }, { ...bounds, ...asked })
const callOf = (port: number, owner = 'one') => ({
  owner,
  url: new URL(`http://127.0.0.1:${port}/`),
  headers: {},
  body: '{}',
})

describe('connections to receivers', () => {
  it('are kept for the next call', async () => {
    const receiver = await aCalledServer((_, response) => response.end('x'))
    const connections = kept()
    for (let count = 0; count < 5; count += 1)
      expect(await connections.post(callOf(receiver.port))).toMatchObject({ status: 200 })
    expect(receiver.connections()).toBe(1)
    await connections.close()
  })

  it('are closed, the one that was idle for longest first, when there are too many of an owner or in all', async () => {
    const connections = kept()
    const receivers = await Promise.all([1, 2, 3, 4].map(() => aCalledServer((_, response) => response.end())))
    const [a, b, c, d] = receivers.map(({ port }) => port)
    for (const port of [a, b, c]) await connections.post(callOf(port ?? 0))
    expect(connections.size).toBe(2)
    await connections.post(callOf(d ?? 0, 'another'))
    await connections.post(callOf(d ?? 0, 'a third'))
    expect(connections.size).toBe(3)
    // Its own was closed for the third one.
    await connections.post(callOf(a ?? 0))
    expect(receivers[0]?.connections()).toBe(2)
    await connections.close()
  })

  it('are closed after an answer that is too long, whose status still counts', async () => {
    const receiver = await aCalledServer((_, response) => response.end('x'.repeat(1_000_000)))
    const connections = kept()
    expect(await connections.post(callOf(receiver.port))).toMatchObject({ status: 200 })
    expect(connections.size).toBe(0)
    expect(await connections.post(callOf(receiver.port))).toMatchObject({ status: 200 })
    expect(receiver.connections()).toBe(2)
  })

  it('that a receiver has closed meanwhile are opened again, and the call succeeds', async () => {
    const receiver = await aCalledServer((request, response) => {
      response.end()
      if (receiver.received.length === 1) request.socket.destroySoon()
    })
    const connections = kept()
    for (let count = 0; count < 2; count += 1)
      expect(await connections.post(callOf(receiver.port))).toMatchObject({ status: 200 })
    await connections.close()
  })

  it('fail if no answer begins in time, but not if only the rest of an answer is missing', async () => {
    const silent = await aCalledServer(() => {})
    const connections = kept({ callMilliseconds: 200 })
    expect(await connections.post(callOf(silent.port))).toMatchObject({ reason: 'timeout' })
    const endless = await aCalledServer((_, response) => void response.writeHead(200).write('x'))
    expect(await connections.post(callOf(endless.port))).toMatchObject({ status: 200 })
    expect(connections.size).toBe(0)
  })

  it('lead to no address that the operator has not allowed', async () => {
    const receiver = await aCalledServer()
    const connections = new KeptConnections({ allowedNetworks: [] }, bounds)
    expect(await connections.post(callOf(receiver.port))).toEqual(expect.any(OutboundFailure))
    expect(receiver.connections()).toBe(0)
  })
})

describe('calls of receivers', () => {
  it('are no more at a time than there are places, and fewer for one organization', () => {
    setBound(webhookBounds.webhookCalls, 3)
    setBound(webhookBounds.organizationWebhookCalls, 2)
    const places = new CallPlaces()
    expect(['a', 'a', 'a', 'b', 'b'].map(id => places.enter(id))).toEqual([true, true, false, true, false])
    places.leave('a')
    expect([places.enter('b'), places.enter('a'), places.taken]).toEqual([true, false, 3])
  })

  it('of webhooks that share places take turns', async () => {
    setBound(webhookBounds.organizationWebhookCalls, 2)
    const held: (() => void)[] = []
    const receiver = await aCalledServer((_, response) => void held.push(() => response.end()))
    const [one, other] = [await aWebhook(around, receiver), await aWebhook(around, receiver)]
    startDelivery(around.api)
    await untilPosition(around, one, { token: 1 })
    await untilPosition(around, other, { token: 1 })
    for (let count = 0; count < 4; count += 1) await aNewContact(around)
    for (let count = 0; count < 8; count += 2) {
      await until('two calls', () => held.length === count + 2)
      for (const answer of held.slice(count)) answer()
    }
    await untilPosition(around, one, { seq: 4 })
    await untilPosition(around, other, { seq: 4 })
    const firstHalf = receiver.received.slice(0, 4).map(({ headers }) => String(headers['webhook-id']).split('_')[2])
    expect(new Set(firstHalf).size).toBe(2)
    expect(receiver.received.map(eventIn)).toHaveLength(8)
  })
})

describe('events that are held', () => {
  it('take no more memory than the bound: a lane that finds no room waits for its turn', () => {
    setBound(webhookBounds.webhookEventBytes, 1000)
    const room = new EventRoom()
    const told: string[] = []
    const enter = (name: string, bytes: number) => room.enter(bytes, () => told.push(name))
    expect([enter('a', 600), enter('b', 600), enter('c', 300), enter('d', 200)]).toEqual([true, false, false, false])
    room.give(100)
    expect(told).toEqual([])
    room.give(500)
    expect(told).toEqual(['b', 'c', 'd'])
    room.give(room.taken)
    expect([enter('larger than all', 2000), enter('e', 1), room.taken]).toEqual([true, false, 2000])
  })

  it('keep a webhook from reading while another one holds as many as there may be, and it goes on afterwards', async () => {
    setBound(webhookBounds.webhookEventBytes, 4000)
    const answers: (() => void)[] = []
    const slow = await aCalledServer((_, response) => void answers.push(() => response.end()))
    const well = await aCalledServer((_, response) => response.end())
    const full = await aWebhook(around, slow, { kinds: ['contact.*'] })
    const other = await aWebhook(around, well, { kinds: ['task.*'] })
    for (let count = 0; count < 6; count += 1) await aNewContact(around)
    const { delivery } = startDelivery(around.api)
    await until('a full room', () => delivery.lanes.get(full)?.state.held === 6)
    const entered = vi.spyOn(EventRoom.prototype, 'enter')
    await aRecord('task', around.organization)
    await until('a webhook that waits', () => entered.mock.results.some(({ value }) => value === false))
    entered.mockRestore()
    expect(well.received).toEqual([])
    await until('all calls of the other', () => answers.length === 6)
    for (const answer of answers) answer()
    await untilPosition(around, full, { seq: 7 })
    await untilPosition(around, other, { seq: 7 })
    expect([slow.received.length, well.received.length]).toEqual([6, 1])
  })

  it('are given up while nothing may be sent, and read again afterwards', async () => {
    const receiver = await aCalledServer((_, response) => response.writeHead(400).end())
    const id = await aWebhook(around, receiver)
    const { delivery } = startDelivery(around.api)
    await untilPosition(around, id, { token: 1 })
    setBound(webhookBounds.webhookCalls, 0)
    await aNewContact(around)
    await until('an event', () => delivery.lanes.get(id)?.state.held === 1)
    const { organization, api } = around
    await api.test.database.query(disable, [organization.id, false])
    await administered(api)
    await until('no event', () => delivery.lanes.get(id)?.state.held === 0)
    await api.test.database.query(disable, [organization.id, true])
    await administered(api)
    await until('the event again', () => delivery.lanes.get(id)?.state.held === 1)
  })
})
