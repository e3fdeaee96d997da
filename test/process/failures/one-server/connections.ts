import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { aContact } from '../../../support/builders.ts'
import { until } from '../../../support/waiting.ts'
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

function creating(contact: object, key: string): string {
  const headers = { Authorization: `Bearer ${installation.client.token}`, 'Content-Type': 'application/json' }
  return requestText('POST', path, { ...headers, 'Idempotency-Key': key }, JSON.stringify(contact))
}

const listing = () => requestText('GET', `${path}?limit=100`, { Authorization: `Bearer ${installation.client.token}` })

const idsOf = async (externalId: string) =>
  (await installation.client.get(`/contacts?externalId=${externalId}`)).items.map(({ id }) => id)

test('a client that goes away in the middle of its body has caused nothing, and its key is free', async () => {
  const key = randomUUID()
  const contact = aContact()
  const wire = await Wire.open(url)
  wire.send(creating(contact, key).slice(0, -10))
  await wire.flushed()
  wire.hangUp()
  const answer = await installation.client.post('/contacts', contact, { key })
  expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, null])
  expect(await idsOf(contact.externalId)).toEqual([answer.data.id])
})

test('a client that goes away before its answer has caused its effect once, and gets the answer when it repeats the request', async () => {
  for (let round = 0; round < 10; round += 1) {
    const key = randomUUID()
    const contact = aContact()
    const wire = await Wire.open(url)
    wire.send(creating(contact, key))
    await wire.flushed()
    wire.hangUp()
    const answer = await until('an answer', async () => {
      const again = await installation.client.post('/contacts', contact, { key })
      return again.status !== 409 && again
    })
    expect(answer.status).toBe(201)
    expect(await idsOf(contact.externalId)).toEqual([answer.data.id])
  }
})

test('clients that read slowly get the whole answer, those that go away meanwhile harm nobody', async () => {
  const contacts = Array.from({ length: 100 }, () => aContact({ description: 'x'.repeat(8000) }))
  const batch = await installation.client.post('/contacts/batch/upsert', { items: contacts })
  expect(batch.status).toBe(200)
  const { text } = await readSlowly()
  const impatient = await Promise.all(Array.from({ length: 10 }, () => Wire.open(url)))
  for (const wire of impatient) {
    wire.pause()
    wire.send(listing())
  }
  await until('answers that nobody reads', async () => (await fetch(`${url}/livez`)).ok)
  for (const wire of impatient) wire.hangUp()
  expect((await readSlowly()).text).toBe(text)
})

/** Takes a page of more than half a megabyte in sips. */
async function readSlowly() {
  const wire = await Wire.open(url)
  wire.pause()
  wire.send(listing())
  await wire.flushed()
  const [answer] = await until('the whole page', () => {
    wire.resume()
    setImmediate(() => wire.pause())
    const answers = wire.answers()
    return answers.length > 0 && answers
  })
  wire.hangUp()
  if (answer === undefined) throw new Error('no answer')
  expect(answer.status).toBe(200)
  expect(answer.text.length).toBeGreaterThan(500_000)
  return answer
}

test('two hundred connections are served at the same time', async () => {
  const wires = await Promise.all(Array.from({ length: 200 }, () => Wire.open(url)))
  const contacts = wires.map(() => aContact())
  for (const [index, wire] of wires.entries()) wire.send(creating(contacts[index] ?? {}, randomUUID()))
  const answers = await Promise.all(wires.map(wire => wire.answered()))
  for (const [answer] of answers) {
    // On a busy machine a place among the connections to the database may not come free in time.
    if (answer?.status === 503) expect(answer.headers['retry-after']).toBe('5')
    else expect(answer?.status).toBe(201)
  }
  for (const wire of wires) wire.send(requestText('GET', '/livez'))
  const second = await Promise.all(wires.map(wire => wire.answered(2)))
  expect(second.map(([, answer]) => answer?.status)).toEqual(wires.map(() => 200))
  for (const wire of wires) wire.hangUp()

  const created = answers.map(([answer]) => answer?.status === 201)
  const found = await Promise.all(contacts.map(({ externalId }) => idsOf(externalId)))
  expect(found.map(ids => ids.length === 1)).toEqual(created)
})

test('no request of this file fails inside', () => {
  expect(installation.server.err).not.toContain('a request failed')
  expect(installation.server.running).toBe(true)
})
