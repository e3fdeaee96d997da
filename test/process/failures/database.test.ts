import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Database, migrate, statement } from '../../../server/src/kernel/sql/index.ts'
import { aContact } from '../../support/builders.ts'
import { type Answer, Client } from '../../support/client.ts'
import { databaseUrl, postmasterOf, type Server, sendSignal, useProcesses } from '../../support/process.ts'
import { until, within } from '../../support/waiting.ts'
import { anApplication, onDatabase } from '../support/installations.ts'

const processes = useProcesses()
let folder: string
let postgres: EmbeddedPostgres
let environment: Record<string, string>
let token: string
let server: Server
let client: Client

beforeAll(async () => {
  folder = await processes.folder()
  postgres = await startEmbeddedPostgres({ dataDirectory: folder })
  const database = new Database({ location: postgres.connection, connections: 1 })
  await migrate(database)
  token = (await anApplication(database)).token
  await database.close()
  environment = await onDatabase(processes, databaseUrl(postgres.connection))
})
beforeEach(async () => {
  if (!server?.running) server = await processes.serve(environment)
  client = new Client(server.url, token)
  // So that there are connections to lose.
  await Promise.all(Array.from({ length: 12 }, () => client.post('/contacts', aContact())))
})
afterAll(() => postgres?.stop())

// Five seconds for a connection or a lock, and room for a busy machine.
const patience = 9000
const inTime = <Result>(work: Promise<Result>) => within(patience, 'an answer', work)

function expectUnavailable({ status, headers, body }: Answer): void {
  expect(status).toBe(503)
  expect(headers.get('retry-after')).toBe('5')
  const requestId = headers.get('x-request-id')
  const message = expect.stringContaining('not executed')
  expect(body).toEqual({ error: { code: 'service_unavailable', message, details: expect.any(Object), requestId } })
}

const health = async (path: '/livez' | '/readyz') => (await inTime(fetch(`${server.url}${path}`))).status

/** The value of a metric, as a scrape shows it. */
async function metric(name: string): Promise<number> {
  const scraped = await inTime(fetch(`${server.url}/metrics`).then(answer => answer.text()))
  return Number(
    scraped
      .split('\n')
      .find(line => line.startsWith(`${name} `))
      ?.split(' ')[1],
  )
}
const databaseReady = 'crm_ready{part="database"}'

const findProcesses = statement(
  'test_database_processes',
  `select pid, application_name = 'crm-server' as serves from pg_stat_activity where pid <> pg_backend_pid()`,
)

/** The processes of the database: all of them, and those that serve requests. */
async function databaseProcesses(): Promise<{ all: number[]; serving: number[] }> {
  const database = new Database({ location: postgres.connection, connections: 1 })
  const rows = await database.query(findProcesses, [])
  await database.close()
  const postmaster = await postmasterOf(folder)
  const pidsOf = (found: typeof rows) => found.map(({ pid }) => Number(pid))
  const all = [...(postmaster === null ? [] : [postmaster]), ...pidsOf(rows)]
  return { all, serving: pidsOf(rows.filter(({ serves }) => serves)) }
}

/**
 * Stops all processes of the database, and gives what lets them go on. The first one stops before the others are looked for, so
 * that no session begins meanwhile.
 */
async function hangDatabase(): Promise<() => void> {
  const database = new Database({ location: postgres.connection, connections: 1 })
  await database.query(findProcesses, [])
  const postmaster = await postmasterOf(folder)
  if (postmaster === null) throw new Error('the database does not run')
  sendSignal(postmaster, 'SIGSTOP')
  const rows = await database.query(findProcesses, [])
  await database.close()
  const others = rows.map(({ pid }) => Number(pid))
  for (const pid of others) sendSignal(pid, 'SIGSTOP')
  return () => {
    for (const pid of [postmaster, ...others]) sendSignal(pid, 'SIGCONT')
  }
}

async function killDatabase(): Promise<void> {
  const pid = await postmasterOf(folder)
  if (pid !== null) sendSignal(pid, 'SIGKILL')
  await postgres.lost
}

async function startDatabase(): Promise<void> {
  await postgres.stop()
  postgres = await startEmbeddedPostgres({ dataDirectory: folder })
}

test('a database that dies under load costs requests a 503, no answer and no effect, until it is back', async () => {
  const contacts = Array.from({ length: 30 }, () => aContact())
  let alive = true
  const seen: Answer[] = []
  /** Asks until it is done, with one key. */
  async function insist(body: object): Promise<Answer> {
    for (const key = randomUUID(); ; ) {
      const answer = await inTime(client.post('/contacts', body, { key }))
      if (answer.status === 201) return answer
      seen.push(answer)
      if (!alive) await until('the database', () => alive)
    }
  }
  const asked = contacts.map(body => insist(body))
  await Promise.race(asked)
  alive = false
  await killDatabase()
  await until('a refused request', async () => {
    const answer = await inTime(client.get('/contacts'))
    return answer.status !== 200 && expectUnavailable(answer) === undefined
  })
  expectUnavailable(await inTime(client.post('/contacts', aContact())))
  expect([await health('/readyz'), await health('/livez')]).toEqual([503, 200])

  await startDatabase()
  alive = true
  const created = await Promise.all(asked)
  for (const answer of seen) {
    // Whether a COMMIT on its way took effect is not known: 500, and safe to repeat.
    if (answer.status === 500) expect(answer.error.code).toBe('internal_error')
    else if (answer.status === 409) expect(answer.error.code).toBe('idempotency_in_progress')
    else expectUnavailable(answer)
  }
  for (const [index, { data }] of created.entries()) {
    const found = await client.get(`/contacts?externalId=${contacts[index]?.externalId}`)
    expect(found.items.map(({ id }) => id)).toEqual([data.id])
  }
  expect(await health('/readyz')).toBe(200)
  expect(server.running).toBe(true)
})

const fillCompanies = statement(
  'test_failures_fill_companies',
  `insert into companies (organization_id, id, version, created_at, updated_at, name, description, websites, contact_data,
     custom_fields, tag_ids, search_names, search_contact_data, search_custom_fields)
   select a.organization_id, gen_random_uuid(), 1, now(), now(), 'Company ' || n, repeat('x', 1000), '[]',
          '{"phones": [], "emails": [], "addresses": [], "messengers": []}', '{}', '{}', '', '', ''
     from applications a cross join generate_series(1, 20000) as n`,
)

test('a database that dies while a job is at work does not take the server along', async () => {
  const database = new Database({ location: postgres.connection, connections: 1 })
  await database.search(fillCompanies, [])
  await database.close()
  const { data } = await client.post('/exports', { type: 'companies' })
  const status = async () => (await client.get(`/exports/${data.id}`)).data.status
  await until('the export to run', async () => (await status()) === 'running')
  await killDatabase()
  // The job fails, and the queue cannot be told.
  await until('the end of the job', () => server.err.includes('"a job failed"'))
  await until('the worker to start again', () => server.err.includes('"what":"worker"'))
  await startDatabase()
  await until('a ready server', async () => (await health('/readyz')) === 200)
  expect([server.running, await status()]).toEqual([true, 'running'])
})

test('a server without requests notices nothing of a restart of its database', async () => {
  await killDatabase()
  await startDatabase()
  await until('a ready server', async () => (await health('/readyz')) === 200)
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.post('/contacts', aContact())))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
})

test('a database that loses one session starts again by itself, and the server with it', async () => {
  const { serving } = await databaseProcesses()
  const [session] = serving
  if (session === undefined) throw new Error('the server has no session')
  sendSignal(session, 'SIGKILL')
  await until('the end of all sessions, and the database', async () => {
    const now = await databaseProcesses().catch(() => null)
    return now?.all.every(pid => !serving.includes(pid))
  })
  await until('a ready server', async () => {
    const answer = await inTime(client.get('/contacts?limit=1'))
    if (answer.status !== 200) expectUnavailable(answer)
    return answer.status === 200 && (await health('/readyz')) === 200
  })
  expect((await client.post('/contacts', aContact())).status).toBe(201)
})

test('a database that hangs costs requests a 503 in time, until it goes on', async () => {
  expect(await metric(databaseReady)).toBe(1)
  const givenUp = await metric('crm_connections_given_up_total')
  // Connections that nobody uses for a while are closed, and one has to be in use when the database begins to hang.
  const answered: Answer[] = []
  const reading = async () => {
    for (;;) {
      const answer = await inTime(client.get('/contacts'))
      answered.push(answer)
      if (answer.status !== 200) return
      await sleep(20)
    }
  }
  const lastRead = reading()
  await until('a read', () => answered.length > 0)
  const goOn = await hangDatabase()
  try {
    const writes = Array.from({ length: 20 }, () => inTime(client.post('/contacts', aContact())))
    const reads = Array.from({ length: 10 }, () => inTime(client.get('/contacts')))
    const [shown, ready, live, answers] = await Promise.all([
      metric(databaseReady),
      health('/readyz'),
      health('/livez'),
      Promise.all([...writes, ...reads]),
    ])
    await lastRead
    expect([shown, ready, live]).toEqual([0, 503, 200])
    for (const answer of [...answers, ...answered.slice(-1)]) expectUnavailable(answer)
  } finally {
    goOn()
  }
  await until('a ready server', async () => (await health('/readyz')) === 200)
  expect(await metric('crm_connections_given_up_total')).toBeGreaterThan(givenUp)
  expect((await client.post('/contacts', aContact())).status).toBe(201)
})

test('a server can be stopped while its database hangs', async () => {
  const goOn = await hangDatabase()
  try {
    const asked = client.post('/contacts', aContact()).catch(() => null)
    server.send('SIGTERM')
    expect(await within(30_000, 'the end of the server', server.ended)).toMatchObject({ status: 0 })
    await asked
  } finally {
    goOn()
  }
})
