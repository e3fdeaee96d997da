import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { verify } from '../../packages/sdk/src/webhooks.ts'
import { aCalledServer, type Received } from '../support/called-server.ts'
import { until } from '../support/waiting.ts'
import { aWebhook } from '../support/webhooks.ts'
import { startDelivery } from '../webhooks/support.ts'
import { useCrm } from './support/given.ts'

const given = useCrm()

async function aContact(): Promise<string> {
  return String((await given.organization.client.post('/contacts', { firstName: 'Anna', lastName: 'Žižek' })).data.id)
}

async function aWonDeal(contact: string): Promise<void> {
  const { client, stages } = given.organization
  const { data } = await client.post('/deals', { title: 'Chairs', contacts: [{ id: contact }] })
  await client.patch(`/deals/${String(data.id)}/move`, { expectedVersion: 1, stageUuid: stages.won })
}

/** Starts to listen for a receiver, and waits until it follows the feed. */
async function listening(port: number, ...words: string[]) {
  const program = given.start(['webhooks', 'listen', '--forward-to', `http://127.0.0.1:${port}/hook`, ...words])
  await until('the beginning', () => /sending/u.test(program.err))
  const secret = /whsec_\S+/u.exec(program.err)?.[0] ?? ''
  return { program, secret }
}

const kindsIn = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body).type)

/** Without what differs between any two webhooks, and between any two attempts. */
function comparable({ method, path, headers, body }: Received) {
  const { host: _, 'webhook-id': id, 'webhook-timestamp': _at, 'webhook-signature': _by, ...others } = headers
  return {
    method,
    path,
    body,
    headers: others,
    id: String(id).replace(/_[\da-f-]{36}(?=_|$)(?!.*_[\da-f-]{36})/u, '_WEBHOOK'),
  }
}

test('a receiver gets what a webhook of the server sends: the same bodies and headers, signed by the printed secret', async () => {
  const [real, local] = [await aCalledServer(), await aCalledServer()]
  const { api, organization } = given
  const kinds = ['contact.*', 'deal.created', 'deal.moved', 'deal.won']
  await aWebhook(api.test, organization, { url: `http://127.0.0.1:${real.port}/hook`, kinds, concurrency: 1 })
  startDelivery(api)
  const { client } = given.organization
  const { data } = await client.get('/changes/cursor')
  const { program, secret } = await listening(local.port, '--from', String(data.cursor), '--kinds', kinds.join())
  const contact = await aContact()
  await client.patch(`/contacts/${contact}`, { expectedVersion: 1, jobTitle: 'Käufer' })
  await aWonDeal(contact)
  await client.delete(`/contacts/${await aContact()}?expectedVersion=1&mode=full`)
  const all = [
    'contact.created',
    'contact.updated',
    'deal.created',
    'deal.moved',
    'deal.won',
    'contact.created',
    'contact.deleted',
  ]
  await until('all messages', () => local.received.length === all.length && real.received.length === all.length)
  expect(kindsIn(local.received)).toEqual(all)

  const byId = (received: readonly Received[]) => new Map(received.map(comparable).map(each => [each.id, each]))
  expect(byId(local.received)).toEqual(byId(real.received))
  for (const { body, headers } of local.received) {
    const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    expect(new Webhook(secret).verify(body, flat)).toEqual(JSON.parse(body))
    expect(await verify(body, flat, secret)).toEqual(JSON.parse(body))
  }
  const { status, out } = await program.end('SIGINT')
  const printed = out
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect([status, printed.map(({ type, status: answered, attempt }) => [type, answered, attempt])]).toEqual([
    0,
    all.map(type => [type, 200, 1]),
  ])
})

test('full bodies are those of a webhook of the server, with the record as it is when they are sent', async () => {
  const [real, local] = [await aCalledServer(), await aCalledServer()]
  const { api, organization } = given
  const kinds = ['contact.*', 'deal.won']
  await aWebhook(api.test, organization, { url: `http://127.0.0.1:${real.port}/hook`, kinds, body: 'full' })
  startDelivery(api)
  const asked = ['--from', await cursor(), '--kinds', kinds.join(), '--body', 'full']
  const { program } = await listening(local.port, ...asked)
  const { client } = organization
  const both = (count: number) =>
    until('both messages', () => local.received.length === count && real.received.length === count)
  const contact = await aContact()
  await both(1)
  await aWonDeal(contact)
  await both(2)
  const other = await aContact()
  await both(3)
  await client.delete(`/contacts/${other}?expectedVersion=1&mode=anonymize`)
  await both(4)
  await client.patch(`/contacts/${contact}`, { expectedVersion: 1, description: 'é'.repeat(10_000) })
  await both(5)
  const bodies = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body))
  expect(bodies(local.received)).toEqual(bodies(real.received))
  expect(bodies(local.received)).toMatchObject([
    { type: 'contact.created', data: { record: { id: contact, version: 1 } } },
    { type: 'deal.won', data: { record: { status: 'won' } } },
    { type: 'contact.created', data: { record: { id: other } } },
    { type: 'contact.anonymized', data: { record: null } },
    { type: 'contact.updated', data: { record: { version: 2 } } },
  ])
  await program.end('SIGINT')
})

test('a full body says what the token may not read', async () => {
  const { organization } = given
  const { token } = await organization.token(['crm_contacts_read', 'crm_companies_read'])
  const receiver = await aCalledServer()
  const from = await cursor()
  const contact = await aContact()
  const words = ['webhooks', 'listen', '--forward-to', `http://127.0.0.1:${receiver.port}/hook`, '--from', from]
  const program = given.start([...words, '--body', 'full'], { ...given.environment, CRM_TOKEN: token })
  await until('the message', () => receiver.received.length === 1)
  const { data, meta } = JSON.parse(receiver.received[0]?.body ?? '')
  expect(data.record).not.toHaveProperty('contactData')
  expect(data).not.toHaveProperty('actorUuid')
  expect(data.record.id).toBe(contact)
  expect(new Set(meta.redacted)).toEqual(new Set(['contact_data', 'custom_fields', 'operators', 'tags']))
  await program.end('SIGINT')
})

test('an event is sent again until the receiver takes it, with the same id, and later ones wait', async () => {
  const receiver = await aCalledServer((_, response) =>
    response.writeHead(receiver.received.length < 3 ? 500 : 204).end('x'.repeat(10_000)),
  )
  const { program } = await listening(receiver.port, '--from', await cursor())
  await aContact()
  await aContact()
  await until('four calls', () => receiver.received.length === 4)
  const [first, ...others] = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(others).toEqual([first, first, expect.not.stringContaining(String(first))])
  const statuses = () =>
    program.out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).status)
  await until('four lines', () => program.out.trimEnd().split('\n').length === 4)
  expect(statuses()).toEqual([500, 500, 204, 204])
  await program.end('SIGTERM')
})

test('what comes while nobody listens is sent the next time, with the same secret', async () => {
  const receiver = await aCalledServer()
  const first = await listening(receiver.port, '--from', await cursor())
  const contact = await aContact()
  await until('the message', () => receiver.received.length === 1)
  await until('its line', () => first.program.out.includes(contact))
  await first.program.end('SIGKILL')

  await aContact()
  const second = await listening(receiver.port)
  // A message whose answer was not noted before the end comes again.
  const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  await until('the later message', () => ids().size === 2)
  expect(second.secret).toBe(first.secret)
  await second.program.end('SIGINT')
  const folder = join(given.home, '.config', 'crm', 'listeners')
  // A program that is killed while it writes leaves a draft.
  const files = readdirSync(folder).filter(name => name.endsWith('.json'))
  expect(files).toHaveLength(1)
  expect([folder, join(folder, files[0] ?? '')].map(path => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
})

test('a receiver that is not there yet is waited for', async () => {
  const gone = await aCalledServer()
  const { program } = await listening(1, '--from', await cursor())
  await aContact()
  await program.printed(/"failure":"ECONNREFUSED"/u)
  expect((await program.end('SIGINT')).status).toBe(0)
  expect(gone.received).toEqual([])
})

test('a receiver that answers 410 ends it', async () => {
  const receiver = await aCalledServer((_, response) => response.writeHead(410).end())
  const { program } = await listening(receiver.port, '--from', await cursor())
  await aContact()
  const { status, err } = await program.ended
  expect([status, err]).toEqual([1, expect.stringContaining('the receiver answered 410: it wants no more')])
})

test.each(['ftp://127.0.0.1', 'hook', 'http://user:word@127.0.0.1/'])('%s is no receiver', async url => {
  const { status, err } = await given.crm(['webhooks', 'listen', '--forward-to', url])
  expect([status, err]).toEqual([2, expect.stringContaining('--forward-to is an http or https address')])
})

const cursor = async () => String((await given.organization.client.get('/changes/cursor')).data.cursor)
