import { describe, expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { webhookBounds } from '../../server/src/webhooks/bounds.ts'
import { aCalledServer } from '../support/called-server.ts'
import { anOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { aReplay, range, replaysOf, untilReplay } from './replays.ts'
import { aSlowReceiver } from './slow-receiver.ts'
import {
  aNewContact,
  aWebhook,
  eventIn,
  startDelivery,
  untilPosition,
  untilSettlementWaits,
  useWebhooks,
} from './support.ts'

const around = useWebhooks()
const database = () => around.api.test.database
const contacts = async (count: number) => {
  for (let made = 0; made < count; made += 1) await aNewContact(around)
}

describe('the places of a webhook', () => {
  it('are shared by its replay, which takes half of them at most', async () => {
    const { receiver, held, slowDown, release, most } = await aSlowReceiver()
    const id = await aWebhook(around, receiver, { concurrency: 4 })
    startDelivery(around.api)
    await contacts(12)
    await untilPosition(around, id, { seq: 12 })
    slowDown()
    await aReplay(around, id, range(1, 12))
    await until('two calls of the replay', () => held.length === 2)
    await contacts(6)
    await until('two of the webhook beside them', () => held.length === 4)
    expect(held).toHaveLength(4)
    expect(receiver.received.slice(12).map(({ headers }) => headers['crm-replay'] !== undefined)).toEqual([
      true,
      true,
      false,
      false,
    ])
    release()
    await untilReplay(around, id, { state: 'ended', delivered: 12 })
    await untilPosition(around, id, { seq: 18 })
    expect(most()).toBe(4)
  })

  it('go to a new event before the next one of a replay, even if there is only one place', async () => {
    const { receiver, held, slowDown } = await aSlowReceiver()
    const id = await aWebhook(around, receiver, { concurrency: 1 })
    const { delivery } = startDelivery(around.api)
    await contacts(3)
    await untilPosition(around, id, { seq: 3 })
    slowDown()
    await aReplay(around, id, range(1, 3))
    await until('the first call of the replay', () => held.length === 1)
    await contacts(1)
    await until('the new event to wait', () => delivery.lanes.get(id)?.state.held === 1)
    for (let calls = 1; calls <= 4; calls += 1) {
      await until('the next call', () => held.length === calls)
      held[calls - 1]?.()
    }
    await untilReplay(around, id, { state: 'ended', delivered: 3 })
    expect(receiver.received.slice(3).map(each => eventIn(each).seq)).toEqual([1, 4, 2, 3])
  })
})

const lockReplay = statement(
  'test_lock_replay',
  'select 1 as locked from webhook_replays where organization_id = $1 for update',
)
const takeReplayOver = statement(
  'test_take_replay_over',
  'update webhook_replays set token = token + 1 where organization_id = $1',
)
const countOfReplays = statement(
  'test_count_rows_of_replays',
  `select (select count(*)::integer from webhook_runs r where r.organization_id = $1 and r.replay_id is not null) as runs,
          (select count(*)::integer from webhook_failures f where f.organization_id = $1 and f.replay_id is not null) as failures`,
)

describe('a worker that has lost a replay', () => {
  it.each([200, 422])('stores nothing of a call that was answered with %i', async status => {
    let release = () => {}
    let isReplaying = false
    const receiver = await aCalledServer((_, response) => {
      if (isReplaying) release = () => response.writeHead(status).end()
      else response.end()
    })
    const id = await aWebhook(around, receiver)
    const { stop } = startDelivery(around.api)
    await contacts(1)
    await untilPosition(around, id, { seq: 1 })
    isReplaying = true
    await aReplay(around, id, range(1, 1))
    await until('the call', () => receiver.received.length === 2)
    const values = [around.organization.id]
    const transaction = await database().begin()
    await transaction.query(lockReplay, values)
    isReplaying = false
    release()
    await untilSettlementWaits(around)
    const stopped = stop()
    await transaction.commit(transaction.query(takeReplayOver, values))
    await stopped
    expect(await replaysOf(around, id)).toMatchObject([{ state: 'active', position: 0, delivered: 0, failed: 0 }])
    expect(await database().query(countOfReplays, values)).toEqual([{ runs: 0, failures: 0 }])
  })
})

describe('a replay', () => {
  it('is continued by another worker: what was under way is sent again, and nothing else', async () => {
    const { receiver, held, slowDown, release } = await aSlowReceiver()
    const id = await aWebhook(around, receiver, { concurrency: 1 })
    setBound(webhookBounds.webhookStop, 50)
    const first = startDelivery(around.api)
    await contacts(4)
    await untilPosition(around, id, { seq: 4 })
    slowDown()
    const replayId = await aReplay(around, id, range(1, 4))
    for (const calls of [1, 2]) {
      await until('a call', () => held.length === calls)
      held[calls - 1]?.()
    }
    await untilReplay(around, id, { delivered: 2, position: 2 })
    await until('a call that gets no answer', () => held.length === 3)
    await first.stop()
    startDelivery(around.api)
    held.length = 0
    release()
    await untilReplay(around, id, { id: replayId, state: 'ended', delivered: 4 })
    expect(receiver.received.slice(4).map(each => eventIn(each).seq)).toEqual([1, 2, 3, 3, 4])
    const sent = receiver.received.slice(6, 8).map(({ headers, body }) => [headers['webhook-id'], body])
    expect(sent[0]).toEqual(sent[1])
  })

  it('is refused if five of the webhook have not ended, and not of another webhook', async () => {
    await contacts(1)
    const backfilled = await aWebhook(around, { port: 9 })
    for (let begun = 0; begun < 5; begun += 1) await aReplay(around, backfilled, range(1, 1))
    await expect(aReplay(around, backfilled, range(1, 1))).rejects.toThrow(
      'a webhook has at most 5 replays that have not ended: see webhook show',
    )
    const other = await aWebhook(around, { port: 9 })
    await aReplay(around, other, range(1, 1))
    expect(await replaysOf(around, backfilled)).toHaveLength(5)
  })

  it('of more failed events than its bound is refused', async () => {
    setBound(webhookBounds.replayedFailures, 2)
    const receiver = await aCalledServer((_, response) => void response.writeHead(400).end())
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await contacts(3)
    await untilPosition(around, id, { seq: 3 })
    const asked = { failedSince: around.clock.now() - 1000 }
    await expect(aReplay(around, id, asked)).rejects.toThrow('more than 2 events have failed: replay a range of them')
    setBound(webhookBounds.replayedFailures, 3)
    await aReplay(around, id, asked)
  })

  it('of a webhook of another organization is refused', async () => {
    await contacts(1)
    const id = await aWebhook(around, { port: 9 })
    const elsewhere = { api: around.api, clock: around.clock, organization: await anOrganization(around.api) }
    await expect(aReplay(elsewhere, id, range(1, 1))).rejects.toThrow(`no such webhook: ${id}`)
  })
})
