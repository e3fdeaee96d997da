import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addJob, defineJob, type Job, type JobContext, type JobRequest } from '../../server/src/kernel/jobs/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { runJobs } from '../support/jobs.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())
beforeEach(async () => {
  organization = await anOrganization(api)
})

async function add(request: JobRequest, id = organization.id, keep = true): Promise<void> {
  const transaction = await api.services.database.begin()
  const added = addJob(transaction, id, request)
  if (keep) await transaction.commit(added)
  else {
    await added
    await transaction.rollback()
  }
}

let kinds = 0
/** A kind of job of its own, and the payloads and contexts that it was run with. */
function aJob(run: Job['run'], more: Partial<Job> = {}) {
  const runs: { payload: JsonObject; context: JobContext }[] = []
  const job = defineJob({
    name: `test_${(kinds += 1)}`,
    async run(payload, context) {
      runs.push({ payload, context })
      return run(payload, context)
    },
    ...more,
  })
  return { job, runs }
}

describe('a job', () => {
  it('is run once, after its transaction was committed', async () => {
    const { job, runs } = aJob(async () => 'done')
    await add({ job, payload: { id: 'kept' } })
    await add({ job, payload: { id: 'rolled back' } }, organization.id, false)
    const { ended } = await runJobs(api, [job])
    expect(runs.map(({ payload }) => payload)).toEqual([{ id: 'kept' }])
    expect(runs[0]?.context).toMatchObject({ organizationId: organization.id, attempt: 1, isLastAttempt: false })
    expect(ended).toMatchObject([{ job: job.name, outcome: 'done' }])
  })

  it('that answers again is run again', async () => {
    let left = 3
    const { job, runs } = aJob(async () => ((left -= 1) > 0 ? 'again' : 'done'))
    await add({ job, payload: { id: 'x' } })
    await runJobs(api, [job])
    expect(runs.map(({ payload }) => payload)).toEqual([{ id: 'x' }, { id: 'x' }, { id: 'x' }])
  })
})
