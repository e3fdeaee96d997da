import { randomUUID } from 'node:crypto'
import { afterEach, expect, inject, it } from 'vitest'
import { Database } from '../../server/src/kernel/sql/index.ts'
import { startApi } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { aCalledServer } from '../support/called-server.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase, testSecret } from '../support/database.ts'
import { anOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { aWebhook } from '../support/webhooks.ts'
import { eventIn, startDelivery } from './support.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.reverse()) await end()
  ends.length = 0
})

it('a receiver hears of a restored database before anything that is written in it, and then of everything', async () => {
  const receiver = await aCalledServer((_, response) => response.end())
  const original = await createTestDatabase()
  if ('url' in original.location) throw new Error('the database of the tests is reached through a socket')
  const { database: originalName } = original.location
  const before = await startApi({ test: { ...original, drop: () => original.database.close() } })
  const organization = await anOrganization(before)
  await aWebhook(before.test, organization, { url: `http://127.0.0.1:${receiver.port}/hook` })
  const first = startDelivery(before)
  await organization.client.post('/contacts', aContact())
  await organization.client.post('/contacts', aContact())
  await until('two deliveries', () => receiver.received.length === 2)
  await first.stop()
  await before.close()

  const server = inject('postgres')
  const maintenance = new Database({ location: server, connections: 1 })
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await maintenance.script(`create database ${name} template ${originalName}`)
  ends.push(async () => {
    await maintenance.script(`drop database ${name} with (force)`)
    await maintenance.script(`drop database ${originalName} with (force)`)
    await maintenance.close()
  })
  const location = { ...server, database: name }
  const database = new Database({ location, connections: 8 })
  const after = await startApi({ test: { database, secret: testSecret, location, drop: () => database.close() } })
  ends.push(() => after.close())
  const client = new Client(after.url, organization.client.token)
  const { data: contact } = await client.post('/contacts', aContact())
  startDelivery(after)
  await until('the message about the restored database', () => receiver.received.length === 3)
  const { data: later } = await client.post('/contacts', aContact())
  await until('a delivery after it', () => receiver.received.length === 4)
  const [reset, next] = receiver.received.slice(2)
  expect(JSON.parse(reset?.body ?? '')).toMatchObject({
    type: 'feed.reset',
    data: { reason: 'epoch', missedFrom: 3, missedTo: 3, resync: expect.any(String) },
  })
  // It is among what is to be read anew.
  expect((await client.get(`/contacts/${contact.id}`)).status).toBe(200)
  expect(next && eventIn(next)).toMatchObject({ type: 'contact.created', resourceId: later.id, seq: 4 })
})
