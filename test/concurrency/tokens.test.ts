import { afterAll, beforeAll, expect, it } from 'vitest'
import { Database, type Row, type Statement, statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { anOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'

/** Keeps back what it has read of one token until it is let go, as a slow network would. */
class SlowDatabase extends Database {
  slowToken = ''
  isHeld = false
  letGo = () => {}

  override async query<R extends Row = Row>(asked: Statement, values: readonly unknown[]): Promise<R[]> {
    const rows = await super.query<R>(asked, values)
    if (asked.name === 'find_token' && values[0] === this.slowToken) {
      this.slowToken = ''
      await new Promise<void>(resolve => {
        this.letGo = resolve
        this.isHeld = true
      })
    }
    return rows
  }
}

let api: TestApi
let database: SlowDatabase
beforeAll(async () => {
  const own = await createTestDatabase(1)
  database = new SlowDatabase({ location: own.location, connections: 8 })
  const drop = async () => {
    await database.close()
    await own.drop()
  }
  api = await startApi({ test: { ...own, database, drop } })
})
afterAll(async () => {
  await api.close()
  expect(api.failures).toEqual([])
})

const statusOf = async (token: string) => (await new Client(api.url, token).get('/capabilities')).status
const idOf = (token: string) => token.split('_')[2] ?? ''

it('a token that is looked up while it is revoked is not remembered as valid', async () => {
  const { client, token: makeToken } = await anOrganization(api)
  const { token: slow } = await makeToken([])
  database.slowToken = idOf(slow)
  const begun = statusOf(slow)
  await until('the look-up of the token', () => database.isHeld)

  const revoke = statement('test_revoke_both', 'update api_tokens set revoked_at = now() where id = any ($1)')
  expect(await statusOf(client.token)).toBe(200)
  await api.services.database.query(revoke, [[idOf(slow), idOf(client.token)]])
  const raise = statement('test_tokens_changed', 'update installation set generation = generation + 1')
  await api.services.database.query(raise, [])
  // The server has seen the change when it refuses a token that it remembered.
  await until('the refusal of a known token', async () => (await statusOf(client.token)) === 401)

  database.letGo()
  // It was valid when it was looked up; from the next request on it is not.
  expect(await begun).toBe(200)
  expect(await statusOf(slow)).toBe(401)
})
