import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { aContact } from '../../../support/builders.ts'
import { within } from '../../../support/waiting.ts'
import { holdContact } from '../../support/hold.ts'
import type { Installation } from '../../support/installations.ts'
import { requestText, Wire } from '../../support/wire.ts'
import { onServer } from './server.ts'

let installation: Installation
let url: string

beforeAll(async () => {
  installation = await onServer()
  url = installation.server.url
})

const path = '/api/v1/crm/contacts'
const headers = () => ({ Authorization: `Bearer ${installation.client.token}`, 'Content-Type': 'application/json' })
const creating = (contact: object) =>
  requestText('POST', path, { ...headers(), 'Idempotency-Key': randomUUID() }, JSON.stringify(contact))
const listing = () => requestText('GET', `${path}?limit=1`, headers())

/** The statuses of all answers to a client that says at once that it sends no more than these bytes. */
async function statuses(bytes: string): Promise<number[]> {
  const wire = await Wire.open(url)
  wire.send(bytes)
  wire.sendNoMore()
  const answers = await within(10_000, 'the end of the connection', wire.ended())
  return answers.map(({ status }) => status)
}

test.each([
  ['a read', () => listing(), [200]],
  ['a write', () => creating(aContact()), [201]],
  ['several requests', () => creating(aContact()) + listing() + listing(), [201, 200, 200]],
] as const)(
  'a client that sends no more after its request has its answer, and then the end: %s',
  async (_, bytes, expected) => {
    expect(await statuses(bytes())).toEqual(expected)
  },
)

test('a client that sends no more has its answer also when that takes a while', async () => {
  const contact = (await installation.client.post('/contacts', aContact())).data
  const held = await holdContact(installation.test.database, contact.id)
  const wire = await Wire.open(url)
  const change = JSON.stringify({ expectedVersion: 1, firstName: 'Later' })
  const patch = requestText('PATCH', `${path}/${contact.id}`, { ...headers(), 'Idempotency-Key': randomUUID() }, change)
  wire.send(patch)
  wire.sendNoMore()
  await held.waiting()
  await held.letGo()
  expect((await wire.ended()).map(({ status }) => status)).toEqual([200])
})

test.each([
  ['nothing', () => ''],
  ['half a head', () => listing().slice(0, 40)],
  ['half a body', () => creating(aContact()).slice(0, -10)],
  [
    'half a body in chunks',
    () => `${requestText('POST', path, { ...headers(), 'Transfer-Encoding': 'chunked' })}5\r\n{"fi`,
  ],
])(
  'a client that sends no more in the middle of a request meets the end, and has caused nothing: %s',
  async (_, bytes) => {
    const before = (await installation.client.get('/contacts?limit=100')).items.length
    expect((await statuses(bytes())).every(status => status === 400)).toBe(true)
    expect((await installation.client.get('/contacts?limit=100')).items).toHaveLength(before)
  },
)

test('an idle connection ends when its client does', async () => {
  const wire = await Wire.open(url)
  wire.send(listing())
  await wire.answered()
  wire.sendNoMore()
  expect(await within(5000, 'the end of the connection', wire.ended())).toHaveLength(1)
})
