import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase, testSecret, testSecretText } from '../../../test/support/database.ts'
import { demoApplicationId, demoOrganizationId, demoTokenName } from '../demo/identity.ts'
import { newTokenText } from '../kernel/auth/index.ts'
import { createUserWithLink, setUser } from '../people/index.ts'
import { createOrganization, placeOrganization } from '../settings/index.ts'
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

const ownDatabase = { DATABASE_URL: 'postgres://localhost/crm' }
/** Without a token of the demo organization. */
const embedded = { CRM_DATA_DIR: join(tmpdir(), 'crm-test-without-demo') }

/** What the operator reads when the server has started, on a terminal or in a log. */
async function printed(environment: Record<string, string>, isTTY: boolean): Promise<string> {
  const config = readConfig({ ...environment, CRM_SECRET: testSecretText })
  serve.mockImplementationOnce(async (_config: unknown, _role: unknown, { afterStart }: ServeHooks) => {
    const { database, location } = test
    const author = { type: 'system', uuid: null, jobId: null } as const
    const installation = { config, database, location, databaseFolder: undefined, secret: testSecret, author }
    const never = new Promise<string>(() => {})
    await afterStart({ ...installation, databaseLost: never, close: async () => {} }, 'http://127.0.0.1:3000')
    return 0
  })
  const parts: string[] = []
  const output = { isTTY, write: (text: string) => parts.push(text) }
  await serveWithDemo(config, { role: 'all', processes: 1 }, output)
  return parts.join('')
}

it('a terminal gets a link to found the first organization, and where there is one the command for its first user', async () => {
  expect(await printed(ownDatabase, true)).toMatch(/Found the first organization[^\n]*\n {2}http\S+\/cabinet\/enter#/u)
  await createOrganization(test, { name: 'Acme' })
  const text = await printed(ownDatabase, true)
  expect(text).toContain('user create --email ADDRESS --name NAME --organization ID --role owner')
  expect(text).not.toContain('Found the first organization')
})

it('on the embedded database a terminal gets a link of the owner of the demo, a log the command for one, and neither without such an owner', async () => {
  const link = /Sign in as the owner of the demo[^\n]*\n {2}http\S+\/cabinet\/enter#/u
  expect(await printed(embedded, false)).not.toContain('demo link')
  const demo = {
    organizationId: demoOrganizationId,
    name: 'Demo',
    currencies: ['USD'],
    applicationId: demoApplicationId,
    applicationName: 'Demo',
    token: newTokenText('test').text,
    tokenName: demoTokenName,
  }
  await placeOrganization(test, demo, async () => {})
  const user = { email: 'olga@example.com', name: 'Olga' }
  const { id } = await createUserWithLink(test, user, { organizationId: demoOrganizationId, role: 'owner' })
  expect(await printed(embedded, true)).toMatch(link)
  const text = await printed(embedded, false)
  expect([text.includes(' demo link\n'), text.includes('/cabinet/enter#')]).toEqual([true, false])
  await setUser(test, id, { active: false })
  for (const isTTY of [true, false]) expect(await printed(embedded, isTTY)).not.toContain('owner of the demo')
})
