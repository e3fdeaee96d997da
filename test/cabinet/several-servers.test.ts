import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { Browser } from '../support/browser.ts'
import { anOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'

let one: TestApi
let other: TestApi
beforeAll(async () => {
  one = await startApi()
  other = await startApi({ beside: one })
})
afterAll(async () => {
  await other.close()
  await one.close()
})

/** The same browser at the other server. */
function there(browser: Browser): Browser {
  const beside = new Browser(other)
  for (const [name, value] of browser.cookies) beside.cookies.set(name, value)
  return beside
}

const raise = 'update installation set people_generation = people_generation + 1'

test('who signs out at one server is signed out at the other, which had remembered the session', async () => {
  const browser = await aSignedInBrowser(one, await aUser(one))
  const elsewhere = there(browser)
  expect((await elsewhere.get('/session')).status).toBe(200)
  await browser.delete('/session')
  await expect.poll(async () => (await elsewhere.get('/session')).status).toBe(401)
})

test('a user who is made inactive goes on nowhere', async () => {
  const user = await aUser(one)
  const browser = await aSignedInBrowser(one, user)
  const elsewhere = there(browser)
  expect([(await browser.get('/session')).status, (await elsewhere.get('/session')).status]).toEqual([200, 200])
  await one.test.database.query(statement('test_suspend', 'update users set active = false where id = $1'), [user.id])
  await one.test.database.query(statement('test_raise_people', raise), [])
  await expect.poll(async () => (await browser.get('/session')).status).toBe(401)
  await expect.poll(async () => (await elsewhere.get('/session')).status).toBe(401)
})

test('a role that is lost is lost at the other server, too', async () => {
  const [user, { id }] = [await aUser(one), await anOrganization(one)]
  await aMembership(one, user, id, 'manager')
  const browser = await aSignedInBrowser(one, user)
  const [[, secret = ''] = []] = browser.cookies
  const { sessions } = other.services.authentication
  const signedIn = await sessions.find(secret, '127.0.0.1')
  if (signedIn === null) throw new Error('the session is not found')
  expect((await sessions.member(signedIn, id))?.role).toBe('manager')
  await one.test.database.query(
    statement('test_demote', "update memberships set role = 'read_only' where organization_id = $1 and user_id = $2"),
    [id, user.id],
  )
  await one.test.database.query(statement('test_raise_people_again', raise), [])
  await expect.poll(async () => (await sessions.member(signedIn, id))?.role).toBe('read_only')
  await one.test.database.query(
    statement('test_end_membership', 'delete from memberships where organization_id = $1 and user_id = $2'),
    [id, user.id],
  )
  await one.test.database.query(statement('test_raise_people_once_more', raise), [])
  await expect.poll(async () => sessions.member(signedIn, id)).toBeNull()
})
