import { expect, it } from 'vitest'
import { resumeWebhook } from '../../server/src/settings/index.ts'
import { readDeliveryState } from '../../server/src/webhooks/delivery-state.ts'
import { aCalledServer } from '../support/called-server.ts'
import { aNewContact, aWebhook, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()

it('a webhook that was paused and resumed is shown as active since then', async () => {
  const receiver = await aCalledServer(
    (_, response) => void response.writeHead(receiver.received.length === 1 ? 410 : 200).end(),
  )
  const id = await aWebhook(around, receiver)
  startDelivery(around.api)
  await aNewContact(around)
  await untilPosition(around, id, { state: 'paused', reason: 'gone', seq: 0 })
  around.clock.advance(60_000)
  const { api, clock, organization } = around
  await resumeWebhook({ ...api.test, clock }, { organizationId: organization.id, id })
  await untilPosition(around, id, { state: 'active', seq: 1 })
  const state = await readDeliveryState(api.test.database, organization.id, id, api.services.retention.changes)
  expect(state).toMatchObject({ state: 'active', since: new Date(clock.now()).toISOString() })
})
