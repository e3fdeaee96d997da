import { beforeEach, expect, it } from 'vitest'
import { Metrics } from '../../server/src/entrypoints/http/health.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCalledServer, type CalledServer } from '../support/called-server.ts'
import { until } from '../support/waiting.ts'
import { aReplay, untilReplay } from './replays.ts'
import { aNewContact, aWebhook, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()
const second = 1000

/** The values of the metrics of webhooks. */
async function shown(metrics: Metrics): Promise<Record<string, number>> {
  const text = await metrics.text()
  const lines = [...text.matchAll(/^(crm_webhooks?_(?!\w*bucket)\S+) (\S+)$/gmu)]
  return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]))
}

const answering = (status: number): Promise<CalledServer> =>
  aCalledServer((_, response) => void response.writeHead(status).end())

const removeAll = statement('test_remove_all_webhooks', 'delete from webhook_subscriptions t returning 1')

// A worker delivers the webhooks of all organizations, and metrics tell of them all.
beforeEach(async () => {
  await around.api.test.database.query(removeAll, [])
})

it('a metric counts the calls that are under way', async () => {
  const metrics = new Metrics(around.api.services)
  const inside = async () => (await shown(metrics)).crm_webhook_in_flight
  const told: (number | undefined)[] = []
  const receiver = await aCalledServer((_, response) => {
    void inside()
      .then(count => told.push(count))
      .then(() => response.end())
  })
  const id = await aWebhook(around, receiver)
  startDelivery(around.api, { observer: metrics.webhooks })
  await aNewContact(around)
  await untilPosition(around, id, { seq: 1 })
  await until('the end of the call', async () => (await inside()) === 0)
  expect(told).toEqual([1])
})

it('metrics tell of held, paused and late webhooks, of parked events and of calls', async () => {
  const metrics = new Metrics(around.api.services)
  expect(await shown(metrics)).toEqual({
    crm_webhooks_held: 0,
    crm_webhooks_paused: 0,
    crm_webhooks_expiring: 0,
    crm_webhooks_parked_events: 0,
    crm_webhook_lag_events: 0,
    crm_webhook_oldest_event_seconds: 0,
    'crm_webhook_attempts_total{outcome="delivered"}': 0,
    'crm_webhook_attempts_total{outcome="refused"}': 0,
    'crm_webhook_attempts_total{outcome="unanswered"}': 0,
    crm_webhook_attempt_seconds_sum: 0,
    crm_webhook_attempt_seconds_count: 0,
    crm_webhook_lag_seconds_sum: 0,
    crm_webhook_lag_seconds_count: 0,
    crm_webhook_in_flight: 0,
  })
  const [well, choosy, down, gone] = await Promise.all([200, 400, 503, 410].map(answering))
  const broken = await aCalledServer(request => request.socket.destroy())
  const ids: string[] = []
  for (const receiver of [well, choosy, down, gone, broken]) ids.push(await aWebhook(around, receiver ?? broken))
  await aNewContact(around)
  around.clock.advance(60 * second)
  await aNewContact(around)
  const late = await shown(metrics)
  expect(late).toMatchObject({ crm_webhook_lag_events: 2, crm_webhooks_held: 0 })
  expect(Math.round(late.crm_webhook_oldest_event_seconds ?? 0)).toBe(60)

  startDelivery(around.api, { observer: metrics.webhooks })
  const wanted = [{ seq: 2 }, { seq: 2 }, { state: 'held' }, { state: 'paused' }, { state: 'held' }]
  for (const [index, id] of ids.entries()) await untilPosition(around, id, wanted[index] ?? {})
  // Calls are counted a moment after they are stored.
  const attempts = (outcome: string) => `crm_webhook_attempts_total{outcome="${outcome}"}`
  const isCounted = (now: Record<string, number>) =>
    now[attempts('delivered')] === 2 &&
    Number(now[attempts('refused')]) >= 4 &&
    Number(now[attempts('unanswered')]) >= 1
  await until('the metrics of all calls', async () => {
    const now = await shown(metrics)
    return isCounted(now) && now.crm_webhook_in_flight === 0
  })
  const now = await shown(metrics)
  expect(now).toMatchObject({
    crm_webhooks_held: 2,
    crm_webhooks_paused: 1,
    crm_webhooks_parked_events: 2,
    crm_webhook_lag_events: 0,
    crm_webhook_oldest_event_seconds: 0,
  })
  const all = ['delivered', 'refused', 'unanswered'].reduce((sum, outcome) => sum + Number(now[attempts(outcome)]), 0)
  expect(now.crm_webhook_attempt_seconds_count).toBe(all)
})

it('a metric tells how long after its commit each event was delivered, without replays', async () => {
  const metrics = new Metrics(around.api.services)
  const receiver = await aCalledServer((_, response) => response.end())
  const id = await aWebhook(around, receiver)
  await aNewContact(around)
  around.clock.advance(60 * second)
  await aNewContact(around)
  around.clock.advance(5 * second)
  startDelivery(around.api, { observer: metrics.webhooks })
  await untilPosition(around, id, { seq: 2 })
  await aReplay(around, id, { from: { seq: 1 } })
  await untilReplay(around, id, { state: 'ended', delivered: 2 })
  const delivered = async () => (await shown(metrics))['crm_webhook_attempts_total{outcome="delivered"}']
  await until('the metrics of all calls', async () => (await delivered()) === 4)
  const { crm_webhook_lag_seconds_count: count, crm_webhook_lag_seconds_sum: sum } = await shown(metrics)
  expect([count, Math.round(sum ?? 0)]).toEqual([2, 70])
})
