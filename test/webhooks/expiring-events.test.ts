import { expect, it } from 'vitest'
import { Metrics } from '../../server/src/entrypoints/http/health.ts'
import { aCalledServer } from '../support/called-server.ts'
import { until } from '../support/waiting.ts'
import { aNewContact, aWebhook, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()
const day = 24 * 60 * 60 * 1000

it('a worker reports each hour the webhooks whose oldest event is about to leave the feed, with reason and number', async () => {
  const metrics = new Metrics(around.api.services)
  const expiring = async () => /^crm_webhooks_expiring (\S+)$/mu.exec(await metrics.text())?.[1]
  const id = await aWebhook(around, await aCalledServer((_, response) => void response.writeHead(410).end()))
  const { warnings } = startDelivery(around.api)
  const at = around.clock.now()
  await aNewContact(around)
  await untilPosition(around, id, { state: 'paused' })
  around.clock.advance(25 * day - 1000)
  await aNewContact(around)
  expect(await expiring()).toBe('0')
  around.clock.advance(60 * 60 * 1000)
  await until('the warning', () => warnings.length === 1)
  expect(warnings).toEqual([
    {
      organizationId: around.organization.id,
      webhookId: id,
      state: 'paused',
      reason: 'gone',
      position: 0,
      keptUntil: new Date(at + 30 * day).toISOString(),
    },
  ])
  expect(await expiring()).toBe('1')
  around.clock.advance(60 * 60 * 1000)
  await until('the next warning', () => warnings.length === 2)
})
