import { expect, it } from 'vitest'
import { raiseEpochOf, statement } from '../../server/src/kernel/sql/index.ts'
import { aCalledServer } from '../support/called-server.ts'
import { aNewContact, aWebhook, startDelivery, untilLooks, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()

const removeOld = statement(
  'test_remove_old_changes',
  `with gone as (delete from changes where organization_id = $1 and seq < $2)
   update organization_feed set oldest_seq = $2 where organization_id = $1`,
)

const receiving = () => aCalledServer((_, response) => response.end())

it('a receiver hears which events are gone, once, and then of everything after the head', async () => {
  const receiver = await receiving()
  const id = await aWebhook(around, receiver)
  for (let count = 0; count < 5; count += 1) await aNewContact(around)
  await around.api.test.database.query(removeOld, [around.organization.id, 4])
  startDelivery(around.api)
  await untilPosition(around, id, { seq: 5 })
  await aNewContact(around)
  await untilPosition(around, id, { seq: 6 })
  const bodies = receiver.received.map(({ body }) => JSON.parse(body))
  expect(bodies).toMatchObject([
    { type: 'feed.reset', data: { reason: 'expired', missedFrom: 1, missedTo: 5, resync: expect.any(String) } },
    { type: 'contact.created', data: { seq: 6 } },
  ])
  expect(receiver.received[0]?.headers['webhook-id']).toMatch(/^rst_/u)
})

it('a receiver hears that the feed has begun anew, even if it was down at first', async () => {
  let status = 500
  const receiver = await aCalledServer((_, response) => void response.writeHead(status).end())
  const id = await aWebhook(around, receiver)
  startDelivery(around.api)
  await around.api.test.database.query(raiseEpochOf, [around.organization.id])
  await untilPosition(around, id, { state: 'held' })
  status = 200
  await aNewContact(around)
  // The reset goes up to the head that the worker knows when it is sent. Until it is due, the receiver is not called again.
  await untilLooks(around, 2)
  expect(receiver.received).toHaveLength(1)
  around.clock.advance(6000)
  await untilPosition(around, id, { state: 'active', seq: 1 })
  await aNewContact(around)
  await untilPosition(around, id, { seq: 2 })
  const bodies = receiver.received.map(({ body }) => JSON.parse(body))
  expect(bodies).toMatchObject([
    { type: 'feed.reset', data: { reason: 'epoch', missedFrom: 1 } },
    { type: 'feed.reset', data: { reason: 'epoch', missedFrom: 1, missedTo: 1 } },
    { type: 'contact.created', data: { seq: 2 } },
  ])
})
