import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { doneTasks } from '../conformance/support/bulk-jobs.ts'
import { upload } from '../conformance/support/imports.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { runJobs, startWorker } from '../support/jobs.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { add, aJob } from './support.ts'

let api: TestApi
let organizations: readonly TestOrganization[]
beforeAll(async () => {
  api = await startApi({ connections: 12 })
  organizations = await Promise.all(Array.from({ length: 8 }, () => anOrganization(api)))
})
afterAll(() => api.close())

it('a process runs a bounded number of jobs at a time, and the others wait', async () => {
  let running = 0
  let most = 0
  const { job, runs } = aJob(async () => {
    running += 1
    most = Math.max(most, running)
    await until(
      'all places to be taken, or all others to be done',
      () => running === bounds.processJobs.most || runs.length > 4,
    )
    running -= 1
    return 'done'
  })
  for (const { id } of organizations) await add(api, id, { job, payload: {} })
  await runJobs(api, [job])
  expect([most, runs.length]).toEqual([bounds.processJobs.most, organizations.length])
})

it('the queue has a bounded number of connections, whatever its jobs do at the same time', async () => {
  let most = 0
  const look = () => {
    const { total = 0 } = api.services.database.usage().find(({ pool }) => pool === 'queue') ?? {}
    most = Math.max(most, total)
  }
  const looking = setInterval(look, 1)
  onTestFinished(() => clearInterval(looking))
  const { job, runs } = aJob(async () => 'done')
  for (let round = 0; round < 10; round += 1)
    for (const { id } of organizations) await add(api, id, { job, payload: {} })
  await runJobs(api, [job])
  expect(runs).toHaveLength(10 * organizations.length)
  expect(most).toBe(bounds.queueConnections.most)
})

it('a worker that nobody wakes asks for jobs by itself', async () => {
  setBound(bounds.queuePoll, 200)
  const { job, runs } = aJob(async () => 'done')
  // The database tells nobody when the time of a job has come.
  await add(api, organizations[0]?.id ?? '', { job, payload: {}, runAt: new Date(Date.now() + 1000) })
  const worker = startWorker(api, { jobs: [job] })
  await until('the run', () => runs.length === 1)
  await worker.stop()
})

it('a job that does not end its chunk keeps no worker from stopping, and another one goes on with it', async () => {
  setBound(bounds.jobChunk, 300)
  let letGo = () => {}
  const stuck = new Promise<void>(resolve => {
    letGo = resolve
  })
  const { job, runs } = aJob(async () => {
    if (runs.length === 1) await stuck
    return 'done'
  })
  await add(api, organizations[0]?.id ?? '', { job, payload: {} })
  const worker = startWorker(api, { jobs: [job] })
  await until('the run', () => runs.length === 1)
  const begin = performance.now()
  await worker.stop()
  const took = performance.now() - begin
  expect(took).toBeGreaterThanOrEqual(bounds.jobChunk.most - 1)
  expect(runs[0]?.context.signal.aborted).toBe(true)
  // For those that come later it is silent from now on.
  await api.services.database.script(`
    update graphile_worker._private_job_queues set locked_at = now() - interval '1 hour';
    update graphile_worker._private_jobs set locked_at = now() - interval '1 hour'`)
  await runJobs(api, [job])
  expect(runs.map(({ context }) => context.attempt)).toEqual([1, 2])
  letGo()
  await until('the end of both', () => worker.ended.length === 1)
})

it('an organization has a bounded number of exports, imports and bulk jobs under way, however many it requests at the same time', async () => {
  const most = 3
  for (const bound of [bounds.organizationExports, bounds.organizationImports, bounds.organizationBulkJobs])
    setBound(bound, most)
  const organization = await anOrganization(api)
  const { client } = organization
  const task = await aRecord('task', organization)
  const asked = [
    () => client.post('/exports', { type: 'deals' }),
    () => upload(client, 'Name\nAnna\n'),
    () => client.post('/bulk-jobs', doneTasks([task])),
  ]
  for (const ask of asked) {
    const answers = await Promise.all(Array.from({ length: 12 }, ask))
    const taken = answers.filter(({ status }) => status < 300)
    expect([taken.length, new Set(answers.map(({ status }) => status)).size]).toEqual([most, 2])
  }
})

it('one more import gets a 503 where as many as may be were started, which come to an end by themselves', async () => {
  setBound(bounds.organizationImports, 2)
  const { client } = await anOrganization(api)
  for (const name of ['Anna', 'Igor']) {
    const { id } = (await upload(client, `Name\n${name}\n`)).data
    const start = { mapping: { lastName: 'Name' }, dedupPolicy: 'create_only' }
    expect((await client.post(`/imports/${id}/start`, start)).status).toBe(202)
  }
  const { status, error, details } = await upload(client, 'Name\nOlga\n')
  expect([status, error.code, details.bound]).toEqual([503, 'service_unavailable', 'organizationImports'])
})
