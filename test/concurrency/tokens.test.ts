import { afterAll, beforeAll, expect, it } from 'vitest'
import { Database, type Row, type Statement, statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { type Answer, Client } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { anOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'

/** Keeps back what one statement has read by one id until it is let go, as a slow network would. */
class SlowDatabase extends Database {
  /** The name of the statement and the id; empty when nothing is slow. */
  slow = ''
  /** How often it was sent since it became slow. */
  sent = 0
  letGo = () => {}

  override async query<R extends Row = Row>(asked: Statement, values: readonly unknown[]): Promise<R[]> {
    const rows = await super.query<R>(asked, values)
    if (this.slow === `${asked.name} ${values[0]}`) {
      this.sent += 1
      const before = this.letGo
      await new Promise<void>(resolve => {
        this.letGo = () => {
          before()
          resolve()
        }
      })
    }
    return rows
  }

  makeSlow(statementName: string, id: string): void {
    this.slow = `${statementName} ${id}`
    this.sent = 0
    this.letGo = () => {
      this.slow = ''
    }
  }
}

const revoke = statement('test_revoke_both', 'update api_tokens set revoked_at = now() where id = any ($1)')

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
  database.makeSlow('find_token', idOf(slow))
  const begun = statusOf(slow)
  await until('the look-up of the token', () => database.sent === 1)

  expect(await statusOf(client.token)).toBe(200)
  await api.services.database.query(revoke, [[idOf(slow), idOf(client.token)]])
  const raise = statement('test_tokens_changed', 'update installation set generation = generation + 1')
  await api.services.database.query(raise, [])
  // The server has seen the change when it refuses a token that it remembered.
  await until('the refusal of a known token', async () => (await statusOf(client.token)) === 401)

  // A request that brings it now does not share the look-up that began before.
  const next = statusOf(slow)
  await until('a look-up of its own', () => database.sent === 2)
  database.letGo()
  // It was valid when it was looked up; from the next request on it is not.
  expect([await begun, await next]).toEqual([200, 401])
  expect(await statusOf(slow)).toBe(401)
})

/**
 * Sends so many requests, of which the first one waits for what is read slowly, and resolves to their statuses. The slow answer comes
 * when a request that was sent behind them has been answered.
 */
async function whileSlow(count: number, send: () => Promise<Answer>, behind: Client): Promise<readonly number[]> {
  const asked = Array.from({ length: count }, send)
  await until('what is read slowly', () => database.sent > 0)
  expect((await behind.get('/capabilities')).status).toBe(200)
  database.letGo()
  return (await Promise.all(asked)).map(({ status }) => status)
}

it('a token that many requests bring at once, and that the server does not remember, is looked up once', async () => {
  const { client: known, token: makeToken } = await anOrganization(api)
  const { token } = await makeToken([])
  database.makeSlow('find_token', idOf(token))
  const client = new Client(api.url, token)
  const statuses = await whileSlow(40, () => client.get('/capabilities'), known)
  expect([database.sent, ...new Set(statuses)]).toEqual([1, 200])
})

it('a token that is refused is looked up again for requests that come after the look-up', async () => {
  const { client: known, token: makeToken } = await anOrganization(api)
  const { token } = await makeToken([])
  await api.services.database.query(revoke, [[idOf(token)]])
  database.makeSlow('find_token', idOf(token))
  const client = new Client(api.url, token)
  expect(new Set(await whileSlow(5, () => client.get('/capabilities'), known))).toEqual(new Set([401]))
  database.makeSlow('find_token', idOf(token))
  const again = client.get('/capabilities')
  await until('the look-up of the token', () => database.sent === 1)
  database.letGo()
  expect((await again).status).toBe(401)
})

it('a configuration that many requests need at once, and that the server does not know, is read once', async () => {
  const { id, client } = await anOrganization(api)
  expect((await client.get('/capabilities')).status).toBe(200)
  database.makeSlow('load_configuration', id)
  const statuses = await whileSlow(40, () => client.post('/contacts', aContact()), client)
  expect([database.sent, ...new Set(statuses)]).toEqual([1, 201])
})

it('a configuration that is forgotten while it is read is read anew for later requests', async () => {
  const { id, client } = await anOrganization(api)
  database.makeSlow('load_configuration', id)
  const before = client.post('/contacts', aContact())
  await until('the read of the configuration', () => database.sent === 1)
  api.services.configurations.forget()
  const behind = client.post('/contacts', aContact())
  await until('a read of its own', () => database.sent === 2)
  database.letGo()
  expect([(await before).status, (await behind).status]).toEqual([201, 201])
})
