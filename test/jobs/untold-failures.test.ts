import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { startWorker } from '../support/jobs.ts'
import { anOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { add, aJob, queueOf } from './support.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

// The database refuses to note that a job has failed, and takes half a second to say so.
const refuseFailures = `
  create function test_refuse_failure() returns trigger language plpgsql as $$ begin
    perform pg_sleep(0.5);
    raise exception 'no failures';
  end $$;
  create trigger test_refuse_failure before insert or update on graphile_worker._private_jobs
    for each row when (new.last_error is not null) execute function test_refuse_failure()`
const takeFailures = `
  drop trigger if exists test_refuse_failure on graphile_worker._private_jobs;
  drop function if exists test_refuse_failure`

// Makes the worker and its locks look old, so that the test need not wait until it is taken for dead.
const ageLocks = `
  update job_workers set beat_at = beat_at - interval '1 hour';
  update graphile_worker._private_jobs set locked_at = locked_at - interval '1 hour';
  update graphile_worker._private_job_queues set locked_at = locked_at - interval '1 hour'`

it('a process goes on with its jobs after several have failed and their failures could not be stored', async () => {
  const { database } = api.services
  let released = 0
  const jobs = [1, 2, 3].map(turn =>
    aJob(async (_, { attempt }) => {
      await until('its turn', () => released >= turn)
      if (turn < 3 && attempt === 1) throw new Error('failed')
      return 'done'
    }),
  )
  for (const { job } of jobs) await add(api, (await anOrganization(api)).id, { job, payload: {} })
  setBound(bounds.jobChunk, 300)
  const worker = startWorker(api, { jobs: jobs.map(({ job }) => job) })
  onTestFinished(() => worker.stop())
  await until('all jobs to run', () => jobs.every(({ runs }) => runs.length === 1))
  await database.script(refuseFailures)
  onTestFinished(() => database.script(takeFailures))

  const untold = () => worker.failures.filter(({ what }) => what === 'queue').length
  released = 1
  await until('the first failure', () => worker.ended.length === 1)
  // The second one fails while the queue is being told of the first.
  await sleep(100)
  released = 2
  await until('both failures to be lost', () => untold() >= 2)
  await database.script(takeFailures)
  released = 3
  const queued = async () => (await Promise.all(jobs.map(({ job }) => queueOf(api, job)))).flat().length
  // Otherwise its lock would be taken for an old one as well.
  await until('the queue to know of the end of the third one', async () => (await queued()) === 2)
  await database.script(ageLocks)
  await until('the end of all jobs', () => worker.ended.filter(({ outcome }) => outcome === 'done').length === 3)
  expect(jobs.map(({ runs }) => runs.length)).toEqual([2, 2, 1])
})
