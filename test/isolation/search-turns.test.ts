import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

let api: TestApi
let loud: TestOrganization
let quiet: TestOrganization
beforeAll(async () => {
  api = await startApi()
  loud = await anOrganization(api)
  quiet = await anOrganization(api)
})
afterAll(() => api.close())

const lockTasks = statement('test_lock_tasks', 'lock table tasks in access exclusive mode')

test('searches of one organization run one after another, and those of others beside them', async () => {
  const { database } = api.test
  const transaction = await database.begin()
  await transaction.query(lockTasks, [])
  // The first one stands still in the database; there are places for the others, but not for this organization.
  const searches = ['/search?q=anna', '/contacts?search=anna', ...Array<string>(6).fill('/search?q=anna&types=contact')]
  const answered: number[] = []
  const loudOnes = searches.map(async path => {
    const { status } = await loud.client.get(path)
    answered.push(status)
  })
  const waiting = () => database.usage().find(({ pool }) => pool === 'queries')?.waiting
  await expect.poll(waiting).toBe(searches.length - 1)

  for (let count = 0; count < 3; count += 1) {
    expect((await quiet.client.get('/search?q=anna&types=contact')).status).toBe(200)
  }
  expect([answered, waiting()]).toEqual([[], searches.length - 1])

  await transaction.rollback()
  await Promise.all(loudOnes)
  expect(answered).toEqual(searches.map(() => 200))
})
