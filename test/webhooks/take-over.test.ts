import { describe, expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { webhookBounds } from '../../server/src/webhooks/bounds.ts'
import { aCalledServer } from '../support/called-server.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import {
  aNewContact,
  aWebhook,
  eventIn,
  positionOf,
  startDelivery,
  untilPosition,
  untilSettlementWaits,
  useWebhooks,
} from './support.ts'

const around = useWebhooks()

const database = () => around.api.test.database

const expire = statement(
  'test_expire_leases',
  `update webhook_leases set until = now() - interval '1 second' where subscription_id = $1`,
)
const lockRow = statement(
  'test_lock_position',
  'select 1 as locked from webhook_positions where organization_id = $1 and subscription_id = $2 for update',
)
const takeOver = statement(
  'test_take_webhook_over',
  'update webhook_positions set token = token + 1 where organization_id = $1 and subscription_id = $2',
)
const countRows = statement(
  'test_count_delivery_rows',
  `select (select count(*)::integer from webhook_runs r where r.organization_id = $1) as runs,
          (select count(*)::integer from webhook_parked p where p.organization_id = $1) as parked,
          (select count(*)::integer from webhook_failures f where f.organization_id = $1) as failures`,
)

const ids = (received: Parameters<typeof eventIn>[0][]) => received.map(({ headers }) => headers['webhook-id'])

describe('a worker that has lost a webhook', () => {
  it.each([200, 500])(
    'stores nothing of a call that was answered with %i, even if its statement has begun to wait before',
    async status => {
      let release = () => {}
      const receiver = await aCalledServer((_, response) => {
        release = () => response.writeHead(status).end()
      })
      const id = await aWebhook(around, receiver)
      const { delivery } = startDelivery(around.api)
      await untilPosition(around, id, { token: 1 })
      await aNewContact(around)
      await until('the call', () => receiver.received.length === 1)
      const values = [around.organization.id, id]
      const transaction = await database().begin()
      await transaction.query(lockRow, values)
      release()
      await untilSettlementWaits(around)
      await transaction.commit(transaction.query(takeOver, values))
      await until('the loss of the lane', () => {
        const lane = delivery.lanes.get(id)
        return lane === undefined || lane.isLost
      })
      expect(await positionOf(around, id)).toMatchObject({ token: 2, seq: 0, state: 'active' })
      expect(await database().query(countRows, [around.organization.id])).toEqual([{ runs: 0, parked: 0, failures: 0 }])
    },
  )
})

describe('webhooks of a worker that was killed', () => {
  it('are delivered by another one: what was under way is sent again with the same id and body', async () => {
    const held: (() => void)[] = []
    const receiver = await aCalledServer((_, response) => {
      if (receiver.received.length === 3) held.push(() => response.end())
      else response.end()
    })
    const id = await aWebhook(around, receiver, { concurrency: 1 })
    setBound(webhookBounds.webhookStop, 50)
    const killed = startDelivery(around.api)
    for (let count = 0; count < 2; count += 1) await aNewContact(around)
    await untilPosition(around, id, { seq: 2 })
    await aNewContact(around)
    await until('the call that gets no answer', () => held.length === 1)
    // Nothing of the worker reaches the database any more.
    const lane = killed.delivery.lanes.get(id)
    lane?.lose()
    await database().query(expire, [id])
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 3 })
    const [, , first, second] = receiver.received
    expect(receiver.received).toHaveLength(4)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
  })

  it('keep what was delivered out of order: nothing of it is sent again', async () => {
    const held: (() => void)[] = []
    const receiver = await aCalledServer((_, response) => {
      if (
        eventIn(receiver.received.at(-1) ?? { method: '', path: '', headers: {}, body: '{}' }).seq === 1 &&
        held.length === 0
      )
        held.push(() => response.end())
      else response.end()
    })
    const id = await aWebhook(around, receiver)
    setBound(webhookBounds.webhookStop, 50)
    const first = startDelivery(around.api)
    await untilPosition(around, id, { token: 1 })
    for (let count = 0; count < 20; count += 1) await aNewContact(around)
    await until('all other deliveries', () => receiver.received.length === 20)
    await first.stop()
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 20 })
    expect(receiver.received.map(each => eventIn(each).seq).sort((one, other) => one - other)).toEqual([
      1,
      ...Array.from({ length: 20 }, (_, n) => n + 1),
    ])
  })
})

describe('a worker that stops', () => {
  it('waits for its calls, stores what has come of them and leaves its webhooks to others at once', async () => {
    let release = () => {}
    const receiver = await aCalledServer((_, response) => {
      if (receiver.received.length > 1) response.end()
      else release = () => response.end()
    })
    const id = await aWebhook(around, receiver)
    const first = startDelivery(around.api)
    await aNewContact(around)
    await until('the call', () => receiver.received.length === 1)
    const stopped = first.stop()
    await aNewContact(around)
    release()
    await stopped
    expect(await positionOf(around, id)).toMatchObject({ seq: 1 })
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 2 })
    expect(receiver.received.map(each => eventIn(each).seq)).toEqual([1, 2])
  })
})

describe('several workers', () => {
  it('share the webhooks, also with one that comes later', async () => {
    setBound(webhookBounds.webhookLease, 4000)
    setBound(webhookBounds.webhookCall, 2000)
    const receiver = await aCalledServer((_, response) => response.end())
    for (let count = 0; count < 4; count += 1) await aWebhook(around, receiver)
    const one = startDelivery(around.api)
    await until('all lanes', () => one.delivery.lanes.size >= 4)
    const other = startDelivery(around.api)
    await until('half of them', () => Math.abs(one.delivery.lanes.size - other.delivery.lanes.size) <= 1)
    await aNewContact(around)
    await until('a delivery for each webhook', () => receiver.received.length >= 4)
    expect(new Set(ids([...receiver.received])).size).toBe(4)
    expect([...one.failures, ...other.failures]).toEqual([])
  })
})
