import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { bounds, Pace } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { admitted, doneTasks, manyTasks } from '../conformance/support/bulk-jobs.ts'
import { csv, expectStatus, upload } from '../conformance/support/imports.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { runJobs } from '../support/jobs.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ connections: 12 })
})
afterAll(() => api.close())

const targets = 800
const most = bounds.bulkChunk.most

const selectTasks = statement('test_tasks_to_pace', 'select t.id from tasks t where t.organization_id = $1')
const fillCompanies = statement(
  'test_fill_companies_to_pace',
  `insert into companies (organization_id, id, version, created_at, updated_at, name, description, websites, contact_data,
     custom_fields, tag_ids, search_names, search_contact_data, search_custom_fields)
   select $1, gen_random_uuid(), 1, now(), now(), 'Company ' || n, repeat('x', 2000), '[]',
          '{"phones": [], "emails": [], "addresses": [], "messengers": []}', '{}', '{}', '', '', ''
     from generate_series(1, 1000) as n`,
)
const selectChunks = statement(
  'test_chunks_of_job',
  `select count(*)::integer as size from changes c
    where c.organization_id = $1 and c.job_id = $2 and c.resource_id <> $2 group by c.transaction_id order by min(c.seq)`,
)

type Beside = (ended: () => boolean, get: () => Promise<unknown>) => Promise<void>

const nobody: Beside = async () => {}
/** So many that one comes during each chunk, also where a machine has much else to do. */
const requests: Beside = async (ended, get) => {
  const client = async () => {
    while (!ended()) await get()
  }
  await Promise.all([client(), client(), client()])
}

/** Runs the jobs that wait; `beside` is done meanwhile, until they have ended. */
async function run(organization: TestOrganization, beside: Beside): Promise<void> {
  let isEnded = false
  const jobs = runJobs(api).finally(() => {
    isEnded = true
  })
  await beside(
    () => isEnded,
    () => organization.client.get('/tasks?limit=1'),
  )
  await jobs
}

/** The sizes of the chunks of a job, in their order. */
async function chunksOf(organization: TestOrganization, jobId: unknown): Promise<number[]> {
  const rows = await api.test.database.search(selectChunks, [organization.id, jobId])
  return rows.map(({ size }) => Number(size))
}

const kinds = [
  [
    'a bulk job',
    async (organization: TestOrganization) => {
      await manyTasks(api, organization, targets)
      const tasks = await api.test.database.search(selectTasks, [organization.id])
      return admitted(organization.client, doneTasks(tasks))
    },
  ],
  [
    'an import',
    async ({ client }: TestOrganization) => {
      const rows = Array.from({ length: targets }, (_, index) => [`Person ${index}`])
      const { id } = expectStatus(await upload(client, csv(['name'], ...rows)), 201)
      const body = { mapping: { firstName: 0 }, dedupPolicy: 'create_only' }
      expectStatus(await client.post(`/imports/${id}/start`, body), 202)
      return id
    },
  ],
] as const

test.each(kinds)('%s that nobody disturbs writes as many records at a time as it may', async (_, admit) => {
  const organization = await anOrganization(api)
  const id = await admit(organization)
  await run(organization, nobody)
  const sizes = await chunksOf(organization, id)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(targets)
  expect(sizes.filter(size => size === most).length).toBeGreaterThanOrEqual(targets / most - 2)
})

test.each(kinds)('%s makes its chunks small while requests come, and comes to its end', async (_, admit) => {
  const organization = await anOrganization(api)
  const id = await admit(organization)
  await run(organization, requests)
  const sizes = await chunksOf(organization, id)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(targets)
  expect(sizes.filter(size => size <= most / 5).length).toBeGreaterThan(sizes.length / 2)
})

test('an export lets requests go first behind each part of its rows', async () => {
  const rest = vi.spyOn(Pace.prototype, 'rest')
  onTestFinished(() => rest.mockRestore())
  const organization = await anOrganization(api)
  await api.test.database.search(fillCompanies, [organization.id])
  const { id } = (await organization.client.post('/exports', { type: 'companies' })).data
  await run(organization, requests)
  expect((await organization.client.get(`/exports/${id}`)).data).toMatchObject({ status: 'completed', rowCount: 1000 })
  // A part ends with the packet that fills it, so some are more than twice as long as they have to be.
  const parts = (1000 * 2000) / bounds.largePart.most
  expect(rest.mock.calls.length).toBeGreaterThan(parts / 4)
})
