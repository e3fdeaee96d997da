import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Database, migrate, statement } from '../../server/src/kernel/sql/index.ts'
import { createApplication, createOrganization, createToken } from '../../server/src/settings/index.ts'
import { administrationOf, anApplication, onDatabase } from '../process/support/installations.ts'
import { expectNoSessions } from '../process/support/pooled.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { testSecret } from '../support/database.ts'
import { NotingReceiver } from '../support/noting-receiver.ts'
import { useProcesses } from '../support/process.ts'
import { Random } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { aWebhook } from '../support/webhooks.ts'
import { PgBouncer, type PoolMode } from './pgbouncer.ts'
import { PostgresServer } from './postgres-server.ts'

const processes = useProcesses()
let postgres: PostgresServer
let pooler: PgBouncer | undefined
let token: string

beforeAll(async () => {
  postgres = await PostgresServer.primary()
  await postgres.ask('create database crm')
  await postgres.ask(`alter database crm set timezone to 'Asia/Tokyo'`)
  const database = new Database({ location: { url: postgres.url('crm') }, connections: 2 })
  await migrate(database)
  token = (await anApplication(database)).token
  await database.close()
})
afterEach(async () => {
  await pooler?.remove()
  pooler = undefined
})
afterAll(async () => {
  await processes.end()
  await postgres?.remove()
})

/** An application with a token for everything. */
async function anApplicationWithToken(database: Database) {
  const administration = administrationOf(database)
  const { id } = await createOrganization(administration, { name: 'Globex' })
  const rates = { rateRead: 1_000_000, rateWrite: 1_000_000 }
  const { id: applicationId } = await createApplication(administration, { organizationId: id, name: 'ERP', ...rates })
  const names = { organizationId: id, applicationId, name: 'Test', scopes: ['all'] }
  return { id, applicationId, token: (await createToken(administration, names)).token }
}

/** The environment of a server behind a pooler, which drops the options of the URL. */
async function behind(mode: PoolMode, connections: number) {
  pooler = await PgBouncer.start(postgres.port, { mode, connections })
  return onDatabase(processes, `${pooler.url('crm')}?options=${encodeURIComponent('-c timezone=Asia/Kolkata')}`)
}

test('in session mode a server serves, with its own settings, and doctor finds nothing', async () => {
  const environment = await behind('session', 40)
  const server = await processes.serve(environment)
  const client = new Client(server.url, token)
  const before = Date.now()
  const created = await client.post('/contacts', aContact())
  expect(created.status).toBe(201)
  expect(Math.abs(Date.parse(String(created.data.createdAt)) - before)).toBeLessThan(60_000)
  const { id, createdAt } = created.data
  const changed = await client.patch(`/contacts/${id}`, { expectedVersion: 1, jobTitle: 'Buyer' })
  expect([changed.status, changed.data.createdAt]).toEqual([200, createdAt])
  const doctor = await processes.run(['doctor'], environment)
  expect(doctor.out).toMatch(/^ok {5}session: /mu)
  expect((await server.end('SIGTERM')).status).toBe(0)
})

const selectLeases = statement(
  'services_select_leases',
  `select count(distinct l.worker)::integer as workers, count(*)::integer as leases
     from webhook_leases l where l.subscription_id <> l.worker and l.until > now()`,
)

test('in session mode two workers share the webhooks, and each event is received', async () => {
  const environment = await behind('session', 80)
  const database = new Database({ location: { url: postgres.url('crm') }, connections: 2 })
  const application = await anApplicationWithToken(database)
  const receiver = new NotingReceiver(new Random(1), 5)
  const url = await receiver.listen()
  const made = { database, secret: testSecret, location: { url: postgres.url('crm') }, drop: () => database.close() }
  for (let count = 0; count < 4; count += 1) await aWebhook(made, application, { url })
  const here = { ...environment, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const workers = [1, 2].map(() => processes.start(['serve', '--role', 'worker'], here))
  for (const worker of workers) await worker.printed(/^CRM worker ready$/mu)
  const server = await processes.serve(here, undefined, ['--role', 'api'])
  const client = new Client(server.url, application.token)
  const created = await Promise.all(Array.from({ length: 40 }, () => client.post('/contacts', aContact())))
  const shared = async () => (await database.search(selectLeases, []))[0]
  await until('two workers', async () => (await shared())?.workers === 2 && (await shared())?.leases === 4)
  await client.post('/contacts', aContact())
  await until('all deliveries', () => new Set(receiver.calls.map(({ id }) => id)).size === 4 * (created.length + 1))
  expect(receiver.calls).toHaveLength(4 * (created.length + 1))
  for (const worker of [...workers, server]) expect((await worker.end('SIGTERM')).status).toBe(0)
  receiver.close()
  await database.close()
})

test.each([1, 20])(
  'in transaction mode with %d connections no server starts, and doctor says why',
  async connections => {
    const environment = await behind('transaction', connections)
    await expectNoSessions(processes, environment)
  },
)
