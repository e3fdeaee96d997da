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
  const searches = () => database.usage().find(({ pool }) => pool === 'queries') ?? { total: 0, idle: 0, waiting: 0 }
  const answered: number[] = []
  const ask = async (path: string) => {
    const { status } = await loud.client.get(path)
    answered.push(status)
  }
  const transaction = await database.begin()
  const others = ['/contacts?search=anna', ...Array<string>(6).fill('/search?q=anna&types=contact')]
  const loudOnes: Promise<void>[] = []
  try {
    // The first one stands still in the database; there are places for the others, but not for this organization.
    await transaction.query(lockTasks, [])
    loudOnes.push(ask('/search?q=anna'))
    await expect.poll(() => searches().total - searches().idle).toBe(1)
    loudOnes.push(...others.map(ask))
    await expect.poll(() => searches().waiting).toBe(others.length)
    for (let count = 0; count < 3; count += 1) {
      expect((await quiet.client.get('/search?q=anna&types=contact')).status).toBe(200)
    }
    expect([answered, searches().waiting]).toEqual([[], others.length])
  } finally {
    await transaction.rollback()
  }
  await Promise.all(loudOnes)
  expect(answered).toEqual(loudOnes.map(() => 200))
})
