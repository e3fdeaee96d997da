import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { Browser } from '../support/browser.ts'
import { aContact } from '../support/builders.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { anOrganization } from '../support/organization.ts'
import { aCode, aMembership, aSignedInBrowser, aUser, type TestUser, testPassword } from '../support/people.ts'

const clock = new TestClock()
let api: TestApi
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase(), clock })
})
afterAll(() => api.close())
afterEach(() => vi.restoreAllMocks())

const endThere = (user: TestUser) =>
  api.test.database.query(statement('test_end_sessions_there', 'delete from sessions where user_id = $1'), [user.id])

const sessionsOf = (user: TestUser) =>
  api.test.database.query(statement('test_sessions_there', 'select id from sessions where user_id = $1'), [user.id])

/** What is done when the server knows who sends a request, and waits for the rest of its body. */
function whenKnown(work: () => Promise<unknown>): () => Promise<void> {
  const find = vi.spyOn(api.services.authentication.sessions, 'find')
  return async () => {
    await vi.waitFor(() => expect(find).toHaveBeenCalled())
    await find.mock.results[0]?.value
    await work()
  }
}

test('a session that another server has ended begins no new one, also while this server still knows it', async () => {
  const user = await aUser(api)
  const browser = await aSignedInBrowser(api, user)
  const { data } = await browser.post('/account/second-factor')
  const code = await aCode(clock.now(), String(data.secret))
  await endThere(user)
  for (const [path, body] of [
    ['/account/second-factor/confirm', { code }],
    ['/account/password', { currentPassword: testPassword, newPassword: 'nine quiet harbours' }],
  ] as const)
    expect(await browser.post(path, body)).toMatchObject({ status: 401, error: { code: 'not_signed_in' } })
  expect(await sessionsOf(user)).toEqual([])
  expect((await new Browser(api).signIn(user.email, testPassword)).status).toBe(200)
})

test('a session that ends while the body arrives changes nothing of the account', async () => {
  const user = await aUser(api)
  const [browser, other] = [await aSignedInBrowser(api, user), await aSignedInBrowser(api, user)]
  const halfway = whenKnown(() => other.delete('/account/sessions'))
  expect((await browser.patch('/account', { name: 'Eve' }, { halfway })).status).toBe(401)
  expect((await other.get('/session')).data.user).toMatchObject({ name: user.name })
})

test('a session that ends while the body arrives writes no record', async () => {
  const [user, { id, client }] = [await aUser(api), await anOrganization(api)]
  await aMembership(api, user, id)
  const [browser, other] = [await aSignedInBrowser(api, user), await aSignedInBrowser(api, user)]
  const halfway = whenKnown(() => other.delete('/account/sessions'))
  const headers = { 'idempotency-key': randomUUID() }
  const refused = await browser.post(`/o/${id}/crm/contacts`, aContact(), { headers, halfway })
  expect(refused).toMatchObject({ status: 401, error: { code: 'not_signed_in' } })
  expect((await client.get('/contacts')).items).toEqual([])
})
