import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { statement } from './index.ts'

const copyNothing = statement('test_copy_nothing', 'copy nothing_like_it to stdout')

let databases: TestDatabase
beforeAll(async () => {
  databases = await createTestDatabase(2)
})
afterAll(() => databases.drop())

test('rows that fail before anybody reads them give their error to the reader', async () => {
  const reading = databases.database.long('snapshot', async transaction => {
    const rows = transaction.copyOut(copyNothing)
    await new Promise(resolve => rows.once('close', resolve))
    return rows.toArray()
  })
  await expect(reading).rejects.toThrow('relation "nothing_like_it" does not exist')
})
