import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Database, migrate } from '../../server/src/kernel/sql/index.ts'
import { anApplication, onDatabase } from '../process/support/installations.ts'
import { expectNoSessions } from '../process/support/pooled.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { useProcesses } from '../support/process.ts'
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

test.each([1, 20])(
  'in transaction mode with %d connections no server starts, and doctor says why',
  async connections => {
    const environment = await behind('transaction', connections)
    await expectNoSessions(processes, environment)
  },
)
