import { expect, it, onTestFinished, vi } from 'vitest'
import { latestDeliveries } from '../../server/src/webhooks/delivery-log.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { aCalledServer, type CalledServer } from '../support/called-server.ts'
import { anOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { aWebhook, eventIn, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()

// The company of the deals has the first number of the feed.
const derived = ['deal.won', 'deal.lost', 'deal.reopened']
const receiving = () => aCalledServer((_, response) => response.end())
const told = ({ received }: CalledServer) => received.map(each => [eventIn(each).type, eventIn(each).seq])

async function aDeal(members = {}): Promise<string> {
  return String((await aRecord('deal', around.organization, members)).id)
}

async function move(deal: string, expectedVersion: number, stage: 'first' | 'second' | 'won' | 'lost'): Promise<void> {
  const { client, stages, lostReason } = around.organization
  const answer = await client.patch(`/deals/${deal}/move`, {
    expectedVersion,
    stageUuid: stages[stage],
    ...(stage === 'lost' ? { lostReasonCategoryUuid: lostReason } : {}),
  })
  expect(answer.status).toBe(200)
}

it('a webhook sends that deals are won, lost and reopened, after the event from which each is derived', async () => {
  const [all, only] = [await receiving(), await receiving()]
  const id = await aWebhook(around, all, { kinds: ['deal.created', 'deal.moved', ...derived] })
  const onlyId = await aWebhook(around, only, { kinds: ['deal.lost', 'deal.reopened'] })
  const deal = await aDeal()
  for (const [index, stage] of (['second', 'won', 'lost', 'first'] as const).entries())
    await move(deal, index + 1, stage)
  await aDeal({ stageUuid: around.organization.stages.won })
  startDelivery(around.api)
  await untilPosition(around, id, { seq: 7 })
  await untilPosition(around, onlyId, { seq: 7 })
  expect(told(all).filter(([, seq]) => Number(seq) < 7)).toEqual([
    ['deal.created', 2],
    ['deal.moved', 3],
    ['deal.moved', 4],
    ['deal.won', 4],
    ['deal.moved', 5],
    ['deal.lost', 5],
    ['deal.moved', 6],
    ['deal.reopened', 6],
  ])
  expect(told(all).filter(([, seq]) => seq === 7)).toEqual([
    ['deal.created', 7],
    ['deal.won', 7],
  ])
  expect(told(only)).toEqual([
    ['deal.lost', 5],
    ['deal.reopened', 6],
  ])
})

it('a derived kind has the element of the feed, and an id of its own', async () => {
  const { data: position } = await around.organization.client.get('/changes/cursor')
  const receiver = await receiving()
  const id = await aWebhook(around, receiver, { kinds: ['deal.moved', 'deal.won'], body: 'full' })
  const deal = await aDeal()
  await move(deal, 1, 'won')
  startDelivery(around.api)
  await untilPosition(around, id, { seq: 3 })
  const { items } = await around.organization.client.get(`/changes?after=${String(position.cursor)}`)
  const change = items[2] ?? {}
  const record = (await around.organization.client.get(`/deals/${deal}`)).data
  const body = { timestamp: change.occurredAt, data: { ...change, record } }
  expect(receiver.received.map(each => JSON.parse(each.body))).toEqual([
    { type: 'deal.moved', ...body },
    { type: 'deal.won', ...body },
  ])
  expect(change.kind).toBe('deal.moved')
  const name = `chg_${change.id}_${id}`
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([name, `${name}_won`])
})

it('all kinds of deals, and all kinds, are those of the feed', async () => {
  const [deals, everything] = [await receiving(), await receiving()]
  const ids = [await aWebhook(around, deals, { kinds: ['deal.*'] }), await aWebhook(around, everything)]
  await aDeal({ stageUuid: around.organization.stages.won })
  startDelivery(around.api)
  for (const id of ids) await untilPosition(around, id, { seq: 2 })
  expect([told(deals), told(everything).slice(1)]).toEqual([[['deal.created', 2]], [['deal.created', 2]]])
})

it('a derived kind is only for those who may read deals, and for deals that the filters find', async () => {
  const { first, won } = around.organization.stages
  const [barred, filtered] = [await receiving(), await receiving()]
  const ids = [
    await aWebhook(around, barred, { kinds: ['deal.won'], scopes: ['crm_contacts_read'] }),
    await aWebhook(around, filtered, { kinds: ['deal.won'], filter: [{ name: 'priority', value: 'high' }] }),
  ]
  const found = await aDeal({ priority: 'high', stageUuid: won })
  await aDeal({ priority: 'low', stageUuid: won })
  await aDeal({ priority: 'high', stageUuid: first })
  startDelivery(around.api)
  for (const id of ids) await untilPosition(around, id, { seq: 4 })
  expect(barred.received).toEqual([])
  expect(filtered.received.map(eventIn)).toMatchObject([{ type: 'deal.won', resourceId: found }])
})

it('both messages of one event are refused and retried by themselves, also by another worker', async () => {
  let refused = 'deal.won'
  const receiver = await aCalledServer((_, response) => {
    const last = receiver.received.at(-1)
    response.writeHead(last !== undefined && eventIn(last).type === refused ? 400 : 200).end()
  })
  const id = await aWebhook(around, receiver, { kinds: ['deal.moved', 'deal.won'] })
  const one = startDelivery(around.api)
  const deal = await aDeal()
  await move(deal, 1, 'won')
  await untilPosition(around, id, { seq: 3 })
  await until('the refused message', () => receiver.received.length === 2)
  await one.stop()
  refused = ''
  startDelivery(around.api)
  around.clock.advance(10_000)
  await until('the retry', () => receiver.received.length === 3)
  expect(told(receiver)).toEqual([
    ['deal.moved', 3],
    ['deal.won', 3],
    ['deal.won', 3],
  ])
  const [, first, again] = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(again).toBe(first)
  const { database } = around.api.test
  const asked = { organizationId: around.organization.id, id, isFailed: false, most: 10 }
  await until('the log', async () => (await latestDeliveries(database, asked)).length === 3)
  expect(await latestDeliveries(database, asked)).toMatchObject([
    { seq: 3, kind: 'deal.won', outcome: 'delivered' },
    { seq: 3, kind: 'deal.won', outcome: 'failed', attempt: 1 },
    { seq: 3, kind: 'deal.moved', outcome: 'delivered' },
  ])
})

it('the history of a deal is read once for many events, and only of the organization', async () => {
  const there = await anOrganization(around.api)
  const receiver = await receiving()
  const id = await aWebhook(around, receiver, { kinds: ['deal.won'] })
  for (let count = 0; count < 20; count += 1) await aDeal({ stageUuid: around.organization.stages.won })
  await aRecord('deal', there, { stageUuid: there.stages.won })
  const { database } = around.api.services
  const query = vi.spyOn(database, 'query')
  onTestFinished(() => query.mockRestore())
  const { stop } = startDelivery(around.api)
  await untilPosition(around, id, { seq: 21 })
  await stop()
  expect(receiver.received).toHaveLength(20)
  expect(query.mock.calls.filter(([{ name }]) => name === 'select_closings_of_deals')).toHaveLength(1)
})
