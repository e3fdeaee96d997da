import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase, testSecret, testSecretText } from '../../../test/support/database.ts'
import { createOrganization } from '../settings/index.ts'
import { readConfig } from './config.ts'
import type { ServeHooks } from './serve.ts'
import { serveWithDemo } from './serve-with-demo.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await createTestDatabase()
})
afterAll(() => test.drop())

const serve = vi.hoisted(() => vi.fn())
vi.mock('./serve.ts', () => ({ serve }))

/** What the operator reads on a terminal when the server has started on a database of its own. */
async function printed(): Promise<string> {
  const config = readConfig({ DATABASE_URL: 'postgres://localhost/crm', CRM_SECRET: testSecretText })
  serve.mockImplementationOnce(async (_config: unknown, _role: unknown, { afterStart }: ServeHooks) => {
    const { database, location } = test
    const author = { type: 'system', uuid: null, jobId: null } as const
    const installation = { config, database, location, databaseFolder: undefined, secret: testSecret, author }
    const never = new Promise<string>(() => {})
    await afterStart({ ...installation, databaseLost: never, close: async () => {} }, 'http://127.0.0.1:3000')
    return 0
  })
  const parts: string[] = []
  const output = { isTTY: true, write: (text: string) => parts.push(text) }
  await serveWithDemo(config, { role: 'all', processes: 1 }, output)
  return parts.join('')
}

it('a terminal gets a link to found the first organization, and where there is one the command for its first user', async () => {
  expect(await printed()).toMatch(/Found the first organization[^\n]*\n {2}http\S+\/cabinet\/enter#/u)
  await createOrganization(test, { name: 'Acme' })
  const text = await printed()
  expect(text).toContain('user create --email ADDRESS --name NAME --organization ID --role owner')
  expect(text).not.toContain('Found the first organization')
})
