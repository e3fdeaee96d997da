import { expect, test } from 'vitest'
import { pendingMigrations } from '../../server/src/kernel/sql/index.ts'
import { createEmptyDatabase } from '../migrations/empty-database.ts'
import { useProcesses } from '../support/process.ts'

const processes = useProcesses()

test('two processes that migrate at the same time both succeed, and each migration is applied once', async () => {
  const empty = await createEmptyDatabase()
  const migrations = await pendingMigrations(empty.database)
  const environment = { DATABASE_URL: empty.url, CRM_SECRET: 'a secret of this test' }
  const migrate = () => processes.run(['migrate', '--json'], environment)
  const endings = await Promise.all([migrate(), migrate()])
  expect(endings).toMatchObject([{ status: 0 }, { status: 0 }])
  expect(endings.flatMap(({ out }) => JSON.parse(out).applied).sort()).toEqual(migrations)
  await empty.drop()
})
