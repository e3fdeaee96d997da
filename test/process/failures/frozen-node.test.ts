import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aContact } from '../../support/builders.ts'
import { Client } from '../../support/client.ts'
import { type Server, useProcesses } from '../../support/process.ts'
import { until, within } from '../../support/waiting.ts'
import { holdContact } from '../support/hold.ts'
import { environmentOf, type Installation, installationOn } from '../support/installations.ts'

const processes = useProcesses()
let installation: Installation
let other: Server

beforeAll(async () => {
  installation = await installationOn(processes)
  other = await processes.serve(await environmentOf(processes, installation.test))
})
afterAll(() => installation?.test.drop())

test('a node that freezes in the middle of a write keeps a record and a key from others for a limited time', async () => {
  const { server, client, test } = installation
  const { data: contact } = await client.post('/contacts', aContact())
  const held = await holdContact(test.database, contact.id)
  const key = randomUUID()
  const change = { expectedVersion: 1, jobTitle: 'Buyer' }
  const first = client.patch(`/contacts/${contact.id}`, change, { key }).catch(() => null)
  await held.waiting()
  server.send('SIGSTOP')
  // Now the database gives the row to the frozen node, which does not know of it.
  void held.letGo()

  const beside = new Client(other.url, client.token)
  const insist = until('an answer', async () => {
    const answer = await beside.patch(`/contacts/${contact.id}`, change, { key })
    return answer.status !== 409 && answer.status !== 503 && answer
  })
  const answer = await within(40_000, 'an answer', insist)
  expect([answer.status, answer.data.version]).toEqual([200, 2])

  server.send('SIGCONT')
  const late = await first
  expect([200, 503]).toContain(late?.status)
  expect((await beside.get(`/contacts/${contact.id}`)).data.version).toBe(2)
  expect((await client.get(`/contacts/${contact.id}`)).status).toBe(200)
})
