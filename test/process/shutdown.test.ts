import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isObject } from '../../server/src/kernel/schema/index.ts'
import { aContact } from '../support/builders.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { postmasterOf, type Server, useProcesses } from '../support/process.ts'
import { until, within } from '../support/waiting.ts'
import { holdContact } from './support/hold.ts'
import { anApplication, besideServer, demoClient, environmentOf } from './support/installations.ts'
import { partsOf } from './support/parts.ts'
import { requestText, Wire, type WireAnswer } from './support/wire.ts'

const processes = useProcesses()

// Well before the 25 s after which the server gives up on what is running: here nothing is any more.
const grace = 15_000
const ended = (server: Server) => within(grace, 'the end of the server', server.ended)

/** The answer to one request on a connection of its own. */
async function exchangeOne(url: string, text: string): Promise<WireAnswer | undefined> {
  const wire = await Wire.open(url)
  wire.send(text)
  const [answer] = await wire.answered()
  wire.hangUp()
  return answer
}

async function stoppedListening(url: string): Promise<void> {
  await until('the end of listening', () =>
    Wire.open(url).then(
      wire => {
        wire.hangUp()
        return false
      },
      () => true,
    ),
  )
}

describe('with the embedded database', () => {
  let folder: string
  let server: Server | undefined
  beforeAll(async () => {
    folder = await processes.startedBefore()
  })
  afterEach(() => server?.end('SIGKILL'))

  test('SIGTERM lets running requests finish, then ends server and database', async () => {
    server = await processes.serve({ CRM_DATA_DIR: folder })
    const client = await demoClient(server, folder)
    const postmaster = await postmasterOf(folder)
    const { data: contact } = await client.post('/contacts', aContact())
    const database = await besideServer(folder)
    const held = await holdContact(database, contact.id)
    const slow = client.patch(`/contacts/${contact.id}`, { expectedVersion: 1, jobTitle: 'Buyer' })
    await held.waiting()

    server.send('SIGTERM')
    await stoppedListening(server.url)
    void held.letGo()
    const { status, data } = await slow
    expect([status, data.version]).toEqual([200, 2])
    await database.close()
    expect(await ended(server)).toMatchObject({ status: 0, signal: null })
    expect(postmaster).not.toBeNull()
    expect(await postmasterOf(folder)).toBeNull()
  })
})

describe('with a database of its own', () => {
  let database: TestDatabase
  let environment: Record<string, string>
  let token: string
  let server: Server

  beforeAll(async () => {
    database = await createTestDatabase(2)
    token = (await anApplication(database.database)).token
    environment = await environmentOf(processes, database)
  })
  afterEach(() => server.end('SIGKILL'))
  afterAll(() => database?.drop())

  const headers = () => ({ Authorization: `Bearer ${token}` })
  const body = '{"firstName":"Anna"}'

  /** A request of which the server waits for the rest: what `finish` sends. */
  async function begin() {
    const wire = await Wire.open(server.url)
    const form = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID(), Expect: '100-continue' }
    const text = requestText('POST', '/api/v1/crm/contacts', { ...headers(), ...form }, body)
    wire.send(text.slice(0, -5))
    await wire.invited()
    return { wire, finish: () => wire.send(text.slice(-5)) }
  }

  test('a body that is still coming is taken, and neither its connection nor those that ask nothing keep the server', async () => {
    server = await processes.serve(environment)
    const silent = await Wire.open(server.url)
    const idle = await Wire.open(server.url)
    idle.send(requestText('GET', '/livez'))
    await idle.answered()
    const { wire, finish } = await begin()
    server.send('SIGTERM')
    await stoppedListening(server.url)
    finish()
    const [answer] = await wire.answered()
    expect([answer?.status, answer?.headers.connection]).toEqual([201, 'close'])
    expect((await ended(server)).status).toBe(0)
    await Promise.all([silent.ended(), idle.ended()])
  })

  test('a request that waits for a change is answered with an empty page', async () => {
    server = await processes.serve(environment)
    const wire = await Wire.open(server.url)
    const cursor = await exchangeOne(server.url, requestText('GET', '/api/v1/crm/changes/cursor', headers()))
    const { data } = cursor?.body ?? {}
    const path = `/api/v1/crm/changes?wait=30&after=${isObject(data) ? data.cursor : ''}`
    wire.send(requestText('GET', path, headers()))
    const waits = 'crm_bound_used{bound="processWaits"} 1\n'
    await until('a request that waits', async () =>
      (await exchangeOne(server.url, requestText('GET', '/metrics')))?.text.includes(waits),
    )
    server.send('SIGTERM')
    const [answer] = await wire.answered()
    expect([answer?.status, answer?.body]).toMatchObject([200, { data: [], meta: { waited: true } }])
    expect((await ended(server)).status).toBe(0)
  })

  test('SIGINT does the same; a request that comes while others are finished is answered in the envelope', async () => {
    server = await processes.serve(environment)
    const late = await Wire.open(server.url)
    const text = requestText('GET', '/api/v1/crm/contacts?limit=1', { ...headers(), 'X-Request-Id': 'late' })
    late.send(text.slice(0, -2))
    const { finish } = await begin()
    server.send('SIGINT')
    await stoppedListening(server.url)
    late.send(text.slice(-2))
    const [answer] = await late.ended()
    if (answer?.status !== 200) {
      expect(answer?.error).toMatchObject({ code: 'service_unavailable', details: {} })
      expect(answer?.headers['retry-after']).toBe('5')
    }
    expect(answer?.headers['x-request-id']).toBe('late')
    finish()
    expect((await ended(server)).status).toBe(0)
  })

  test.each([
    ['one process', []],
    ['two processes', ['--processes', '2']],
  ])(
    'with a delay a server of %s first announces its stop, and serves on any connection meanwhile',
    async (_, flags) => {
      // Longer than what follows takes: the second signal ends it.
      const patient = await processes.serve({ ...environment, SHUTDOWN_DELAY_SECONDS: '300' }, undefined, flags)
      server = patient
      const text = requestText('GET', '/api/v1/crm/contacts?limit=1', headers())
      const kept = await Promise.all(Array.from({ length: 4 }, () => Wire.open(patient.url)))
      for (const wire of kept) wire.send(text)
      for (const wire of kept) expect((await wire.answered())[0]?.headers.connection).not.toBe('close')

      patient.send('SIGTERM')
      // Each process of the server is asked: connections go to all of them.
      const told = async () => {
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => exchangeOne(patient.url, requestText('GET', '/readyz'))),
        )
        return answers.every(answer => answer?.status === 503 && answer.body['status'] === 'stopping')
      }
      await until('the word that the server stops', told)
      const before = await Promise.all(
        kept.map(async wire => {
          wire.send(text)
          return (await wire.ended()).at(-1)
        }),
      )
      const form = { ...headers(), 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }
      const written = await exchangeOne(patient.url, requestText('POST', '/api/v1/crm/contacts', form, body))
      for (const answer of before) expect([answer?.status, answer?.headers.connection]).toEqual([200, 'close'])
      expect([written?.status, written?.headers.connection]).toEqual([201, 'close'])
      await until('the end of a process for jobs', () => partsOf(patient, 'worker').length === 0)
      expect((await fetch(`${patient.url}/livez`)).status).toBe(200)

      patient.send('SIGTERM')
      expect((await ended(patient)).status).toBe(130)
    },
  )

  test('a second signal ends the server at once, also while requests run', async () => {
    server = await processes.serve(environment)
    await begin()
    server.send('SIGTERM')
    await stoppedListening(server.url)
    server.send('SIGTERM')
    expect((await ended(server)).status).toBe(130)
  })
})
