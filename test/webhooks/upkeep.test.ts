import { expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { nestedResources, resources, settingKinds } from '../../server/src/modules.ts'
import { removeSetting, webhook } from '../../server/src/settings/index.ts'
import { removeOldDeliveries } from '../../server/src/webhooks/upkeep.ts'
import { aCalledServer } from '../support/called-server.ts'
import { aReplay, untilReplay } from './replays.ts'
import { aNewContact, aWebhook, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()
const day = 24 * 60 * 60 * 1000

const count = statement(
  'test_count_kept_deliveries',
  `select (select count(*)::integer from webhook_positions p where p.organization_id = $1) as positions,
          (select count(*)::integer from webhook_runs r where r.organization_id = $1) as runs,
          (select count(*)::integer from webhook_failures f where f.organization_id = $1) as failures,
          (select count(*)::integer from webhook_replays y where y.organization_id = $1) as replays`,
)
const kept = async () => (await around.api.test.database.query(count, [around.organization.id]))[0]

it('what is known of deliveries is removed after 30 days', async () => {
  const receiver = await aCalledServer(
    (_, response) => void response.writeHead(receiver.received.length === 1 ? 500 : 200).end(),
  )
  const id = await aWebhook(around, receiver)
  startDelivery(around.api)
  await aNewContact(around)
  await untilPosition(around, id, { seq: 1 })
  await aNewContact(around)
  await untilPosition(around, id, { seq: 2 })
  await aReplay(around, id, { from: { seq: 2 } })
  await untilReplay(around, id, { state: 'ended' })
  const { signal } = new AbortController()
  around.clock.advance(29 * day)
  await removeOldDeliveries.run(around.api.services, signal)
  expect(await kept()).toMatchObject({ runs: expect.any(Number), failures: 1, replays: 1 })
  around.clock.advance(31 * day)
  await removeOldDeliveries.run(around.api.services, signal)
  expect(await kept()).toMatchObject({ positions: 1, failures: 0, replays: 0 })
})

it('everything of a webhook is removed with it', async () => {
  const receiver = await aCalledServer((_, response) => response.end())
  const id = await aWebhook(around, receiver)
  const { stop } = startDelivery(around.api)
  await aNewContact(around)
  await untilPosition(around, id, { seq: 1 })
  await stop()
  await aReplay(around, id, { from: { seq: 1 } })
  const address = { organizationId: around.organization.id, kind: webhook, id }
  await removeSetting(around.api.test, address, [...resources, ...nestedResources, ...settingKinds])
  expect(await kept()).toEqual({ positions: 0, runs: 0, failures: 0, replays: 0 })
})
