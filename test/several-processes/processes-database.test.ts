import { expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { holdTask } from '../process/support/hold.ts'
import { anApplication, besideServer, demoClient, environmentOf } from '../process/support/installations.ts'
import { partsOf, serveWithTwo, untilAllReady } from '../process/support/parts.ts'
import { requestText, Wire } from '../process/support/wire.ts'
import { aTask } from '../support/builders.ts'
import { createTestDatabase } from '../support/database.ts'
import { sendSignal, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'

const processes = useProcesses()

test('a bulk job of a process that is killed is done by the next one, each target once', async () => {
  const folder = await processes.startedBefore()
  const server = await serveWithTwo(processes, { CRM_DATA_DIR: folder })
  const client = await demoClient(server, folder)
  const tasks = await Promise.all([1, 2, 3].map(async () => (await client.post('/tasks', aTask())).data))
  const database = await besideServer(folder)
  const held = await holdTask(database, tasks[1]?.id)
  const targets = tasks.map(({ id }) => ({ id }))
  const job = { entityType: 'task', action: 'update', targets, changes: { status: 'done' } }
  const { data: admitted } = await client.post('/bulk-jobs', job)
  await held.waiting()

  const [killed = 0] = partsOf(server, 'worker')
  sendSignal(killed, 'SIGKILL')
  await held.letGo()
  const done = await until('the end of the job', async () => {
    const { data } = await client.get(`/bulk-jobs/${admitted.id}`)
    return data.finishedAt !== null && data
  })
  expect([done.status, done.counters]).toMatchObject(['completed', { succeeded: 3, failed: 0 }])
  for (const { id } of tasks) {
    expect((await client.get(`/tasks/${id}`)).data).toMatchObject({ status: 'done', version: 2 })
  }
  await untilAllReady(server)
  expect(partsOf(server, 'worker')).not.toContain(killed)
  await database.close()
  await server.end('SIGTERM')
})

const mark = 'server of two processes'
const selectConnections = statement(
  'test_connections_of_server',
  `select count(*)::integer as open, (count(*) filter (where wait_event = 'relation'))::integer as waiting
     from pg_stat_activity where datname = current_database() and application_name = '${mark}'`,
)
const lockRecords = statement('test_lock_records', 'lock table contacts, deals in access exclusive mode')

// Each process has five connections for look-ups, one of which stays free for the server itself, two for searches and two for reports.
const heldAtMost = 2 * (5 + 2 + 2)
const documented = 2 * 10 + 13 + 4

test('however much clients ask for, two processes open no more connections to the database than documented', async () => {
  const made = await createTestDatabase(2)
  const { database } = made
  const environment = await environmentOf(processes, made)
  const url = `${environment.DATABASE_URL}&application_name=${encodeURIComponent(mark)}`
  const tokens = await Promise.all([1, 2, 3, 4].map(async () => (await anApplication(database)).token))
  const server = await serveWithTwo(processes, { ...environment, DATABASE_URL: url })
  const transaction = await database.begin()
  await transaction.query(lockRecords, [])
  let most = { open: 0, waiting: 0 }
  const look = async () => {
    const [seen] = await database.query(selectConnections, [])
    most = { open: Math.max(most.open, Number(seen?.open)), waiting: Math.max(most.waiting, Number(seen?.waiting)) }
    return most.waiting
  }
  /** Eight clients of each organization ask; resolves when all have an answer, be it that there was no place. */
  const ask = (path: string) =>
    Promise.all(
      Array.from({ length: 32 }, async (_, index) => {
        const wire = await Wire.open(server.url)
        wire.send(requestText('GET', path, { Authorization: `Bearer ${tokens[(index >> 1) % 4]}` }))
        await wire.answered()
        wire.hangUp()
      }),
    )

  // Those for searches and reports first: what else they need comes from the connections for look-ups.
  const reports = ask('/api/v1/crm/analytics/summary')
  await until('all places for reports', async () => (await look()) >= 4)
  const searches = ask('/api/v1/crm/contacts?search=olga')
  await until('all places for searches', async () => (await look()) >= 8)
  const lists = ask('/api/v1/crm/contacts?limit=1')
  let answered = false
  const all = Promise.all([reports, searches, lists]).then(() => {
    answered = true
  })
  await until('all answers', async () => (await look()) > 0 && answered)
  await all
  await transaction.rollback()
  // Not exactly: a statement that was given up may still wait in the database when the next one has its place.
  expect(most.waiting).toBeGreaterThanOrEqual(heldAtMost)
  expect(most.open).toBeLessThanOrEqual(documented)
  await server.end('SIGTERM')
  await made.drop()
})
