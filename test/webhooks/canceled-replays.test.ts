import { describe, expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCalledServer } from '../support/called-server.ts'
import { until } from '../support/waiting.ts'
import { aReplay, canceled, range, replaysOf, untilReplay } from './replays.ts'
import {
  aNewContact,
  aWebhook,
  eventIn,
  startDelivery,
  untilLooks,
  untilPosition,
  untilSettlementWaits,
  useWebhooks,
} from './support.ts'

const around = useWebhooks()

/** A webhook that has received this many contacts, and whose receiver answers calls of replays only when it is told to. */
async function aReplayedWebhook(count: number, concurrency: number) {
  const held: (() => void)[] = []
  const receiver = await aCalledServer((request, response) => {
    if (request.headers['crm-replay'] === undefined) response.end()
    else held.push(() => void response.end())
  })
  const id = await aWebhook(around, receiver, { concurrency })
  const worker = startDelivery(around.api)
  for (let made = 0; made < count; made += 1) await aNewContact(around)
  await untilPosition(around, id, { seq: count })
  return { id, receiver, held, worker }
}

describe('a canceled replay', () => {
  it('begins no more calls, has ended for this reason, and has the audit entry of a command', async () => {
    const { id, receiver, held } = await aReplayedWebhook(6, 2)
    const replayId = await aReplay(around, id, range(1, 6))
    await until('the first call', () => held.length === 1)
    held[0]?.()
    await untilReplay(around, id, { delivered: 1 })
    await until('the second call', () => held.length === 2)
    await canceled(around, id, replayId)
    const ended = { id: replayId, state: 'ended', reason: 'canceled', position: 1, delivered: 1 }
    expect(await replaysOf(around, id)).toMatchObject([{ ...ended, endedAt: expect.any(String) }])
    await untilLooks(around, 2)
    held[1]?.()
    // A new event is sent after whatever the replay would have sent.
    for (const seq of [7, 8]) {
      await aNewContact(around)
      await untilPosition(around, id, { seq })
    }
    expect(receiver.received.slice(6).map(each => eventIn(each).seq)).toEqual([1, 2, 7, 8])
    expect(await replaysOf(around, id)).toMatchObject([ended])
    const audit = statement(
      'test_audit_of_canceled_replays',
      `select a.resource_id, a.actor_type, a.changes from audit_entries a
        where a.organization_id = $1 and a.action = 'webhook.replay_canceled'`,
    )
    expect(await around.api.test.database.query(audit, [around.organization.id])).toEqual([
      { resource_id: id, actor_type: 'system', changes: [{ field: 'replay', before: { id: replayId }, after: null }] },
    ])
  })

  it('is not brought back by the settlement of a call that was under way', async () => {
    const { id, held, worker } = await aReplayedWebhook(1, 1)
    const replayId = await aReplay(around, id, range(1, 1))
    await until('the call', () => held.length === 1)
    const { database } = around.api.test
    const transaction = await database.begin()
    const lock = statement('test_cancel_replay_slowly', endsReplay)
    await transaction.query(lock, [around.organization.id, replayId])
    held[0]?.()
    await untilSettlementWaits(around)
    const stopped = worker.stop()
    await transaction.commit(Promise.resolve())
    await stopped
    startDelivery(around.api)
    await untilLooks(around, 2)
    const ended = { state: 'ended', reason: 'canceled', position: 0, delivered: 0 }
    expect([await replaysOf(around, id), held.length]).toMatchObject([[ended], 1])
  })

  it('keeps the places of its calls until they end, and then the next one follows', async () => {
    const { id, receiver, held } = await aReplayedWebhook(2, 1)
    const first = await aReplay(around, id, range(1, 2))
    await until('the first call', () => held.length === 1)
    around.clock.advance(1000)
    const next = await aReplay(around, id, range(2, 2))
    await canceled(around, id, first)
    await untilLooks(around, 3)
    expect(held).toHaveLength(1)
    held[0]?.()
    await until('the call of the next replay', () => held.length === 2)
    held[1]?.()
    await untilReplay(around, id, { id: next, state: 'ended', reason: null, delivered: 1 })
    expect(receiver.received.slice(2).map(({ headers }) => headers['crm-replay'])).toEqual([first, next])
  })

  it('is refused once it has ended, under another webhook, and if there is none', async () => {
    const { id, held } = await aReplayedWebhook(1, 1)
    const other = await aWebhook(around, { port: 9 })
    const replayId = await aReplay(around, id, range(1, 1))
    await expect(canceled(around, other, replayId)).rejects.toThrow(`no such replay: ${replayId}`)
    await expect(canceled(around, id, id)).rejects.toThrow(`no such replay: ${id}`)
    await expect(canceled(around, id, 'first')).rejects.toThrow('no such replay: first')
    await until('the call', () => held.length === 1)
    held[0]?.()
    await untilReplay(around, id, { state: 'ended', delivered: 1 })
    await expect(canceled(around, id, replayId)).rejects.toThrow('the replay has ended already: see webhook show')
    expect(await replaysOf(around, id)).toMatchObject([{ state: 'ended', reason: null }])
  })
})

const endsReplay = `update webhook_replays set state = 'ended', reason = 'canceled' where organization_id = $1 and id = $2`
