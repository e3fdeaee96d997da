import { afterAll, beforeAll, beforeEach } from 'vitest'
import { addJob, defineJob, type Job, type JobContext, type JobRequest } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { type ApiOptions, startApi, type TestApi } from '../support/api.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

/** What the tests of one file share: an API, with a database and so a queue of its own. Each test has an organization. */
export interface Queue {
  readonly api: TestApi
  readonly organization: TestOrganization
}

/** Starts the API before the tests of this file, and stops it behind them. */
export function useQueue(options: Pick<ApiOptions, 'clock'> = {}): Queue {
  let api: TestApi | undefined
  let organization: TestOrganization | undefined
  const started = () => {
    if (api === undefined) throw new Error('the API has not started')
    return api
  }
  beforeAll(async () => {
    api = await startApi(options)
  })
  afterAll(() => started().close())
  beforeEach(async () => {
    organization = await anOrganization(started())
  })
  return {
    get api() {
      return started()
    },
    get organization() {
      if (organization === undefined) throw new Error('no test has begun')
      return organization
    },
  }
}

/** Adds a job in a transaction of its own. */
export async function add({ services }: TestApi, organizationId: string, request: JobRequest): Promise<void> {
  const transaction = await services.database.begin()
  await transaction.commit(addJob(transaction, organizationId, request))
}

/** One attempt of a job of a test. */
export interface Run {
  readonly payload: JsonObject
  readonly context: JobContext
}

let kinds = 0

/** A kind of job that no other test has, and the attempts that were made of it. */
export function aJob(run: Job['run'], more: Partial<Job> = {}): { readonly job: Job; readonly runs: Run[] } {
  const runs: Run[] = []
  const job = defineJob({
    name: `test_${(kinds += 1)}`,
    run(payload, context) {
      runs.push({ payload, context })
      return run(payload, context)
    },
    ...more,
  })
  return { job, runs }
}

const hurried = statement(
  'test_hurry',
  `with due as (
     update graphile_worker._private_jobs j set run_at = now() where j.locked_at is null and j.run_at > now() returning 1)
   select pg_notify('jobs:insert', '{"count": 9}') from due`,
)

/** Makes jobs due that wait for their time, such as their next attempt. */
export async function hurry({ services }: TestApi): Promise<void> {
  await services.database.search(hurried, [])
}

const selectQueue = statement(
  'test_queue',
  `select t.identifier as job, j.payload, j.key, j.attempts, j.max_attempts as "maxAttempts", j.last_error as "lastError",
          j.locked_by as "lockedBy"
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = $1 order by j.id`,
)

/** What the queue has of a kind of job. */
export function queueOf({ services }: TestApi, { name }: Job) {
  return services.database.search(selectQueue, [name])
}
