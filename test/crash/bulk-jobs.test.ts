import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Database, type Row, statement } from '../../server/src/kernel/sql/index.ts'
import { anApplication, besideServer } from '../process/support/installations.ts'
import { objectOf } from '../support/client.ts'
import { useProcesses } from '../support/process.ts'
import { Random, seedOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { Courier, partsOf, send } from './support/courier.ts'
import { Rig, targets } from './support/rig.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
const count = 2000
/** Targets that are of another version, so that they fail. */
const stale = 30
const crashes = [...targets, 'server'] as const

let rig: Rig
let database: Database
let organizationId: string
let ids: string[]
let seen: JsonObject[]
let jobIds: string[]

const selectTasks = statement(
  'crash_bulk_tasks',
  'select t.id, t.version, t.status, t.priority from tasks t where t.organization_id = $1 order by t.id',
)

beforeAll(async () => {
  rig = await Rig.start(processes)
  const first = await besideServer(rig.folder)
  const application = await anApplication(first)
  organizationId = application.organizationId
  const courier = new Courier(rig.address, application.token)
  const { data: task } = partsOf(await courier.deliver('POST', '/tasks', { title: 'Call' }))
  await first.script(
    `insert into tasks
     select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
       from tasks t cross join generate_series(2, ${count}) where t.id = '${task.id}'`,
  )
  ids = random.shuffled((await first.search(selectTasks, [organizationId])).map(({ id }) => String(id)))
  await first.close()

  // The first ones are done by the first job when the second one has its turn: their versions are not those of before.
  const body = (changes: JsonObject, versions: number) => ({
    entityType: 'task',
    action: 'update',
    targets: ids.map((id, index) => (index < versions ? { id, expectedVersion: 1 } : { id })),
    changes,
  })
  const bodies = [body({ status: 'done' }, 0), body({ priority: 'high' }, stale)]
  jobIds = []
  for (const each of bodies) jobIds.push(String(partsOf(await courier.deliver('POST', '/bulk-jobs', each)).data.id))

  seen = []
  const look = async () => {
    const path = { key: 'look', method: 'GET', body: undefined, token: application.token }
    const answers = await Promise.all(
      jobIds.map(async id => send(await rig.address(), { ...path, path: `/bulk-jobs/${id}` })),
    )
    const jobs = answers.flatMap(answer => (answer?.status === 200 ? [partsOf(answer).data] : []))
    seen.push(...jobs)
    return jobs.length === jobIds.length && jobs.every(({ finishedAt }) => finishedAt !== null)
  }
  const hasBegun = () => seen.some(job => job.id === jobIds[0] && Number(objectOf(job.counters).pending) < count)
  await until('the work to begin', async () => !(await look()) && hasBegun())
  for (const target of random.shuffled(crashes)) {
    await rig.crash(target)
    await sleep(random.between(100, 900))
    if (await look()) break
  }
  while (!(await look())) await sleep(100)
  database = await besideServer(rig.folder)
}, 240_000)

afterAll(() => database?.close())

const jobOf = (id: string | undefined) => objectOf(seen.findLast(job => job.id === id))

test('both jobs were finished, with the result of each target', () => {
  expect(jobIds.map(id => [jobOf(id).status, jobOf(id).counters, jobOf(id).failure])).toEqual([
    ['completed', { pending: 0, succeeded: count, unchanged: 0, failed: 0, canceled: 0 }, null],
    ['completed_with_errors', { pending: 0, succeeded: count - stale, unchanged: 0, failed: stale, canceled: 0 }, null],
  ])
})

test('at any moment the counters added up to the targets, and none ever decreased', () => {
  expect(seen.length).toBeGreaterThan(crashes.length)
  for (const id of jobIds) {
    const all = seen.filter(job => job.id === id)
    const counters = all.map(job => Object.values(objectOf(job.counters)).map(Number))
    expect(new Set(counters.map(each => each.reduce((sum, one) => sum + one, 0)))).toEqual(new Set([count]))
    const pending = counters.map(([left = 0]) => left)
    expect(pending).toEqual(pending.toSorted((one, other) => other - one))
    expect(new Set(all.flatMap(({ startedAt }) => startedAt ?? [])).size).toBe(1)
  }
})

test('each target was changed once by each job, by one version and one event, and each job has ended once', async () => {
  const tasks = await database.search(selectTasks, [organizationId])
  const failed = new Set(ids.slice(0, stale))
  const expected = (id: string) => (failed.has(id) ? ['2', 'done', 'medium'] : ['3', 'done', 'high'])
  for (const { id, version, status, priority } of tasks)
    expect([id, version, status, priority]).toEqual([id, ...expected(String(id))])
  const events = await database.search(
    statement(
      'crash_bulk_events',
      `select c.job_id,
              count(*) filter (where c.resource_id <> c.job_id)::integer as events,
              count(distinct c.resource_id) filter (where c.resource_id <> c.job_id)::integer as records,
              count(*) filter (where c.resource_id = c.job_id)::integer as ends
         from changes c where c.organization_id = $1 and c.job_id is not null group by c.job_id order by min(c.seq)`,
    ),
    [organizationId],
  )
  expect(events).toEqual([
    { job_id: jobIds[0], events: count, records: count, ends: 1 },
    { job_id: jobIds[1], events: count - stale, records: count - stale, ends: 1 },
  ])
})

test('the targets were changed in the order of the request, and then the job ended', async () => {
  const events: Row[] = await database.search(
    statement(
      'crash_bulk_order',
      'select c.resource_id as id from changes c where c.organization_id = $1 and c.job_id = $2 order by c.seq',
    ),
    [organizationId, jobIds[0]],
  )
  expect(events.map(({ id }) => id)).toEqual([...ids, jobIds[0]])
})

test('every target is marked once, every failure has one error', async () => {
  const [row] = await database.search(
    statement(
      'crash_bulk_marks',
      `select (select count(*)::integer from bulk_job_targets t
                where t.organization_id = $1 and t.outcome = 'succeeded') as succeeded,
              (select count(*)::integer from bulk_job_targets t where t.organization_id = $1 and t.outcome = 'failed') as failed,
              (select count(*)::integer from bulk_job_targets t where t.organization_id = $1 and t.outcome is null) as open,
              (select count(*)::integer from bulk_job_errors e where e.organization_id = $1) as errors`,
    ),
    [organizationId],
  )
  expect(row).toEqual({ succeeded: 2 * count - stale, failed: stale, open: 0, errors: stale })
})
