import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { doneTasks, finished } from '../conformance/support/bulk-jobs.ts'
import { callEveryOperation } from '../plans/every-operation.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aTask } from '../support/builders.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

const selectTables = statement(
  'test_tables_of_the_release',
  `select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
)

let api: TestApi
beforeAll(async () => {
  // Few connections: a request that comes again meets statements that were prepared before.
  api = await startApi({ connections: 2 })
})
afterAll(() => api.close())

async function work(organization: TestOrganization): Promise<void> {
  await callEveryOperation(organization)
  const { data: task } = await organization.client.post('/tasks', aTask())
  expect(await finished(api, organization, doneTasks([task]))).toMatchObject({ status: 'completed' })
}

test('a server goes on with its prepared statements when the next release adds a column to every table', async () => {
  await work(await anOrganization(api))
  const tables = await api.test.database.search(selectTables, [])
  expect(tables.length).toBeGreaterThan(30)
  for (const { name } of tables) {
    await api.test.database.script(`alter table ${String(name)} add column of_the_next_release text`)
  }
  await work(await anOrganization(api))
  expect(api.failures).toEqual([])
})
