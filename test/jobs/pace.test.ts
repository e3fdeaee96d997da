import { afterAll, beforeAll, expect, test } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { admitted, doneTasks, manyTasks } from '../conformance/support/bulk-jobs.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { runJobs } from '../support/jobs.ts'
import { anOrganization } from '../support/organization.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ connections: 12 })
})
afterAll(() => api.close())

const targets = 800

const selectTasks = statement('test_tasks_to_pace', 'select t.id from tasks t where t.organization_id = $1')
const selectChunks = statement(
  'test_chunks_of_job',
  `select count(*)::integer as size from changes c
    where c.organization_id = $1 and c.job_id = $2 group by c.transaction_id order by min(c.seq)`,
)

/** Runs a bulk job; gives the sizes of its chunks in their order. `beside` is done meanwhile, until the job has ended. */
async function chunksOf(beside: (ended: () => boolean, get: () => Promise<unknown>) => Promise<void>) {
  const organization = await anOrganization(api)
  await manyTasks(api, organization, targets)
  const tasks = await api.test.database.search(selectTasks, [organization.id])
  const id = await admitted(organization.client, doneTasks(tasks))
  let isEnded = false
  const job = runJobs(api).finally(() => {
    isEnded = true
  })
  await beside(
    () => isEnded,
    () => organization.client.get('/tasks?limit=1'),
  )
  await job
  const { data } = await organization.client.get(`/bulk-jobs/${id}`)
  expect(data).toMatchObject({ status: 'completed', counters: { succeeded: targets } })
  const rows = await api.test.database.search(selectChunks, [organization.id, id])
  return rows.map(({ size }) => Number(size))
}

test('a bulk job that nobody disturbs changes as many records at a time as it may', async () => {
  const sizes = await chunksOf(async () => {})
  expect(sizes.filter(size => size === bounds.bulkChunk.most).length).toBeGreaterThanOrEqual(targets / 100 - 2)
})

test('a bulk job makes its chunks small while requests come, and comes to its end', async () => {
  const sizes = await chunksOf(async (ended, get) => {
    while (!ended()) await get()
  })
  const small = sizes.filter(size => size <= bounds.bulkChunk.most / 5)
  expect(small.length).toBeGreaterThan(sizes.length / 2)
  expect(Math.min(...sizes)).toBeGreaterThan(0)
})
