import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Database, statement } from '../../server/src/kernel/sql/index.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { databaseUrl, readyAt, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { anApplication, onDatabase } from './support/installations.ts'

const processes = useProcesses()

let testDatabase: TestDatabase
let environment: Record<string, string>
let user: string
let administrator: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase(2)
  const { location, database } = testDatabase
  if ('url' in location) throw new Error('the database of the tests is reached through a socket')
  user = `rows_${randomUUID().replaceAll('-', '')}`
  const schemas = 'public, graphile_worker'
  administrator = new Database({ location: { ...inject('postgres'), user: 'postgres' }, connections: 1 })
  // Who drops the database ends what this user has open there.
  await administrator.script(`create role ${user} login; grant ${user} to ${location.user}`)
  await database.script(`
    grant usage on schema ${schemas} to ${user};
    grant select, insert, update, delete, truncate on all tables in schema ${schemas} to ${user}`)
  environment = await onDatabase(processes, databaseUrl({ ...location, user }))
})
afterAll(async () => {
  await testDatabase?.drop()
  await administrator?.script(`drop role ${user}`)
  await administrator?.close()
})

const addUpkeep = statement('test_add_upkeep', `select id from graphile_worker.add_job('upkeep')`)
const selectState = statement(
  'test_state_of_queue',
  `select (select count(*)::integer from graphile_worker._private_jobs) as jobs,
          (select count(*)::integer from job_workers) as workers`,
)
const stateOfQueue = async () => (await testDatabase.database.search(selectState, []))[0]

test('requests and jobs are served by processes of their own, whose user may change rows and nothing else', async () => {
  const { token } = await anApplication(testDatabase.database)
  const api = processes.start(['serve', '--role', 'api'], { PORT: '0', ...environment })
  const [, url = ''] = await api.printed(readyAt)
  expect((await new Client(url, token).post('/contacts', aContact())).status).toBe(201)
  await testDatabase.database.search(addUpkeep, [])
  const metrics = async () => (await fetch(`${url}/metrics`)).text()
  expect(await metrics()).toMatch(/^crm_jobs\{job="upkeep",state="waiting"\} 1$/mu)
  expect(await stateOfQueue()).toEqual({ jobs: 1, workers: 0 })

  const worker = processes.start(['serve', '--role', 'worker'], environment)
  await worker.printed(/^CRM worker ready$/mu)
  await until('the upkeep and a heartbeat', async () => {
    const state = await stateOfQueue()
    return state?.jobs === 0 && state.workers === 1
  })
  const scraped = await metrics()
  expect(scraped).toMatch(/^crm_worker_heartbeat_seconds \d/mu)
  expect(scraped).toMatch(/^crm_oldest_job_seconds 0$/mu)
  expect(await worker.end('SIGTERM')).toMatchObject({ status: 0, signal: null })
  expect(await stateOfQueue()).toEqual({ jobs: 0, workers: 0 })
  expect(worker.err).not.toContain('"level":50')
  expect((await api.end('SIGTERM')).status).toBe(0)
})
