import { expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { createApplication, createToken } from '../../server/src/settings/index.ts'
import { aCalledServer, type CalledServer } from '../support/called-server.ts'
import { anOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { aSlowReceiver } from './slow-receiver.ts'
import {
  administered,
  aNewContact,
  aWebhook,
  startDelivery,
  untilLooks,
  untilPosition,
  useWebhooks,
} from './support.ts'

const around = useWebhooks()
const second = 1000

const answering = (status: number) => aCalledServer((_, response) => void response.writeHead(status).end())
const noticesIn = ({ received }: CalledServer) =>
  received.filter(({ body }) => JSON.parse(body).type === 'webhook.paused')

const countNotices = statement(
  'test_count_webhook_notices',
  'select count(*)::integer as count from webhook_notices n where n.organization_id = $1',
)
const waiting = async () => (await around.api.test.database.query(countNotices, [around.organization.id]))[0]?.count

const resume = statement(
  'test_resume_told_webhook',
  'update webhook_subscriptions set resumed_at = $3 where organization_id = $1 and id = $2',
)

const forget = statement(
  'test_forget_told_pause',
  'update webhook_positions p set pause_told_at = null where p.organization_id = $1',
)

it('the other webhooks of an application receive one message about a pause, whatever their kinds', async () => {
  const [gone, other] = [await answering(410), await answering(200)]
  const id = await aWebhook(around, gone, { name: 'Gone' })
  const otherId = await aWebhook(around, other, { kinds: ['task.*'] })
  const { pauses, stop } = startDelivery(around.api)
  await aNewContact(around)
  await untilPosition(around, id, { state: 'paused' })
  await until('the notice', () => noticesIn(other).length === 1)
  const [notice] = noticesIn(other)
  const at = new Date(around.clock.now()).toISOString()
  expect(JSON.parse(notice?.body ?? '')).toEqual({
    type: 'webhook.paused',
    timestamp: at,
    data: { webhookId: id, name: 'Gone', reason: 'gone', position: 0 },
  })
  const message = String(notice?.headers['webhook-id'])
  expect(message).toBe(`psd_${Date.parse(at)}-${id}_${otherId}`)
  expect(notice?.headers['webhook-signature']).toMatch(/^v1,/u)
  expect(pauses).toEqual([{ organizationId: around.organization.id, webhookId: id, reason: 'gone', position: 0 }])
  await until('no more notices', async () => (await waiting()) === 0)
  await stop()
  // Another worker finds the same pause, and an event behind which it would have told of it.
  const later = startDelivery(around.api)
  await aNewContact(around)
  await untilPosition(around, otherId, { seq: 2 })
  await later.stop()
  expect([noticesIn(other).length, noticesIn(gone).length, later.pauses]).toEqual([1, 0, []])
})

it('webhooks of other applications receive no message about a pause', async () => {
  const { id: organizationId } = around.organization
  const { id: applicationId } = await createApplication(around.api.test, { organizationId, name: 'Another' })
  await createToken(around.api.test, { organizationId, applicationId, name: 'Its token', scopes: ['all'] })
  const [gone, foreign] = [await answering(410), await answering(200)]
  const id = await aWebhook(around, gone)
  const foreignId = await aWebhook(around, foreign, { applicationId })
  const { pauses } = startDelivery(around.api)
  await aNewContact(around)
  await untilPosition(around, id, { state: 'paused' })
  await until('the pause', () => pauses.length === 1)
  await untilPosition(around, foreignId, { seq: 1 })
  expect([await waiting(), noticesIn(foreign)]).toEqual([0, []])
})

it('notices are sent after a crash between the pause and its notices, and again for another pause', async () => {
  const [gone, other] = [await answering(410), await answering(200)]
  const id = await aWebhook(around, gone)
  await aWebhook(around, other, { kinds: ['task.*'] })
  const first = startDelivery(around.api)
  await aNewContact(around)
  await until('the notice', () => noticesIn(other).length === 1)
  await until('no more notices', async () => (await waiting()) === 0)
  await first.stop()
  const { database } = around.api.test
  await database.query(forget, [around.organization.id])
  const next = startDelivery(around.api)
  await until('the notice of the next worker', () => noticesIn(other).length === 2)
  const ids = () => noticesIn(other).map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids()).size).toBe(1)
  await until('that it was settled', async () => (await waiting()) === 0)
  await next.stop()
  around.clock.advance(second)
  await database.query(resume, [around.organization.id, id, new Date(around.clock.now()).toISOString()])
  around.clock.advance(second)
  startDelivery(around.api)
  await until('the notice of another pause', () => noticesIn(other).length === 3)
  expect(new Set(ids()).size).toBe(2)
})

it('a notice that is refused is sent again later', async () => {
  let status = 400
  const gone = await answering(410)
  const other = await aCalledServer((_, response) => void response.writeHead(status).end())
  await aWebhook(around, gone)
  await aWebhook(around, other, { kinds: ['task.*'] })
  startDelivery(around.api)
  await aNewContact(around)
  await until('the first attempt', () => noticesIn(other).length === 1)
  status = 200
  await until('the second attempt', () => {
    around.clock.advance(second)
    return noticesIn(other).length === 2
  })
  await until('no more notices', async () => (await waiting()) === 0)
})

it('messages about pauses that nobody can receive delay no others', async () => {
  const gone = await aCalledServer((_, response) => void response.writeHead(410).end())
  // 11 webhooks that are all paused: 110 messages to webhooks that cannot be called.
  const ids: string[] = []
  for (let index = 0; index < 11; index += 1) ids.push(await aWebhook(around, gone))
  await aNewContact(around)
  startDelivery(around.api)
  for (const id of ids) await untilPosition(around, id, { state: 'paused' })
  await until('the messages', async () => Number(await waiting()) === 110)
  const second = { ...around, organization: await anOrganization(around.api) }
  const paused = await aWebhook(second, gone)
  const other = await aCalledServer((_, response) => response.end())
  await aWebhook(second, other, { kinds: ['task.*'] })
  await administered(around.api)
  await aNewContact(second)
  await untilPosition(second, paused, { state: 'paused' })
  await until('the message', () => noticesIn(other).length === 1)
})

it('a notice waits for a place of its webhook, and goes before its events', async () => {
  const gone = await answering(410)
  const { receiver, held, slowDown, release, most } = await aSlowReceiver()
  const id = await aWebhook(around, gone)
  await aWebhook(around, receiver, { concurrency: 1 })
  slowDown()
  startDelivery(around.api)
  await aNewContact(around)
  await untilPosition(around, id, { state: 'paused' })
  await until('the call under way', () => held.length === 1)
  await aNewContact(around)
  await until('that the notice is stored', async () => (await waiting()) === 1)
  // Notices are read at every fifth look.
  await untilLooks(around, 8)
  expect(held.length).toBe(1)
  held.shift()?.()
  await until('the notice', () => held.length === 1)
  release()
  await until('that the notice is settled', async () => (await waiting()) === 0)
  await until('the second event', () => receiver.received.length === 3)
  const types = receiver.received.map(({ body }) => JSON.parse(body).type)
  expect(types).toEqual(['contact.created', 'webhook.paused', 'contact.created'])
  expect(most()).toBe(1)
})
