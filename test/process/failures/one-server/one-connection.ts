import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../../../server/src/kernel/schema/index.ts'
import { statement } from '../../../../server/src/kernel/sql/index.ts'
import { until } from '../../../support/waiting.ts'
import { holdContact } from '../../support/hold.ts'
import type { Installation } from '../../support/installations.ts'
import { requestText, Wire } from '../../support/wire.ts'
import { onServer } from './server.ts'

// What one connection may ask at once, and what becomes of it when the client leaves.

let installation: Installation
let contactId: string

beforeAll(async () => {
  installation = await onServer()
  const { data } = await installation.client.post('/contacts', { firstName: 'Anna' })
  contactId = String(data.id)
})

const contacts = '/api/v1/crm/contacts'

function request(method: string, path: string, body?: unknown): string {
  const headers = {
    Authorization: `Bearer ${installation.client.token}`,
    'Idempotency-Key': randomUUID(),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  }
  return requestText(method, path, headers, body === undefined ? '' : JSON.stringify(body))
}

const creates = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    request('POST', contacts, { firstName: 'Boris', externalId: `${prefix}-${index}` }),
  ).join('')

async function created(prefix: string, count: number): Promise<number[]> {
  const found = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { items } = await installation.client.get(`/contacts?externalId=${prefix}-${index}`)
      return items.length === 1 ? [index] : []
    }),
  )
  return found.flat()
}

test('writes of one connection take effect in their order', async () => {
  const wire = await Wire.open(installation.server.url)
  const { data } = await installation.client.post('/contacts', { firstName: 'Chen' })
  const patches = Array.from({ length: 15 }, (_, index) =>
    request('PATCH', `${contacts}/${data.id}`, { expectedVersion: index + 1, jobTitle: `Title ${index}` }),
  )
  wire.send(patches.join(''))
  const answers = await wire.answered(patches.length)
  expect(answers.map(({ status }) => status)).toEqual(patches.map(() => 200))
  wire.hangUp()
})

test('beyond the requests that may wait one is refused, and nothing behind it is executed', async () => {
  const held = await holdContact(installation.test.database, contactId)
  const wire = await Wire.open(installation.server.url)
  wire.send(request('PATCH', `${contacts}/${contactId}`, { expectedVersion: 1, jobTitle: 'Analyst' }))
  await held.waiting()
  const prefix = `many-${newId()}`
  wire.send(creates(prefix, 40))
  await wire.flushed()
  await held.letGo()
  const answers = await wire.ended()
  expect(answers.map(({ status }) => status)).toEqual([200, ...Array.from({ length: 16 }, () => 201), 503])
  const last = answers.at(-1)
  expect(last?.error).toMatchObject({
    code: 'service_unavailable',
    details: { bound: 'connectionRequests', limit: 16 },
  })
  expect(last?.headers).toMatchObject({ connection: 'close', 'retry-after': '5' })
  expect(await created(prefix, 40)).toEqual(Array.from({ length: 16 }, (_, index) => index))
  const metrics = await (await fetch(`${installation.server.url}/metrics`)).text()
  expect(metrics).toContain('crm_bound_refused{bound="connectionRequests"} 1')
  expect(metrics).toContain('crm_bound_most{bound="connectionRequests"} 16')
  expect(metrics).toContain('crm_bound_used{bound="processRequests"} 0')
})

test('a waiting request does not begin when its client has left', async () => {
  const held = await holdContact(installation.test.database, contactId)
  const wire = await Wire.open(installation.server.url)
  wire.send(request('PATCH', `${contacts}/${contactId}`, { expectedVersion: 2, jobTitle: 'Poet' }))
  await held.waiting()
  const prefix = `left-${newId()}`
  wire.send(creates(prefix, 5))
  await wire.flushed()
  wire.hangUp()
  await until('the end of the connection', () => wire.cut)
  await held.letGo()
  const title = async () => (await installation.client.get(`/contacts/${contactId}`)).data.jobTitle
  await until('the effect of what ran', async () => (await title()) === 'Poet')
  expect(await created(prefix, 5)).toEqual([])
})

const lockContacts = statement('test_lock_contacts', 'lock table contacts in access exclusive mode')
const searches = statement(
  'test_searches',
  `select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'crm-server' and state = 'active' and query like '%search_list_of_contact%'
      and pid <> pg_backend_pid()`,
)

test('a search is cancelled in the database when its client has left', async () => {
  const { database } = installation.test
  const running = async () => (await database.query(searches, [])).length
  const transaction = await database.begin()
  await transaction.query(lockContacts, [])
  const wire = await Wire.open(installation.server.url)
  wire.send(request('GET', `${contacts}?search=petrova`))
  await until('a search that runs', async () => (await running()) === 1)
  wire.hangUp()
  await until('the end of the search', async () => (await running()) === 0)
  await transaction.rollback()
  expect((await installation.client.get('/contacts?search=anna')).items).toHaveLength(1)
})
