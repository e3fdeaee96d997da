import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { Browser } from '../support/browser.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { anOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser, testPassword } from '../support/people.ts'

const clock = new TestClock()
let api: TestApi
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase(), clock })
})
afterAll(() => api.close())

test('a user signs in, is told where he may do what, and signs out', async () => {
  const organization = await anOrganization(api)
  const user = await aUser(api)
  const operator = await aMembership(api, user, organization.id, 'manager')
  const browser = new Browser(api)
  const signedIn = await browser.signIn(user.email.toUpperCase(), testPassword)
  expect(signedIn.status).toBe(200)
  expect(signedIn.data).toMatchObject({
    user: { id: user.id, email: user.email, name: user.name, locale: 'en', hasSecondFactor: false },
    organizations: [{ id: organization.id, role: 'manager', operatorUuid: operator, needsSecondFactor: false }],
    freshUntil: new Date(clock.now() + 600_000).toISOString(),
  })
  const shown = await browser.get('/session')
  expect(shown.data).toEqual(signedIn.data)
  const former = new Map(browser.cookies)
  const out = await browser.delete('/session')
  expect(out.status).toBe(204)
  expect(out.headers['clear-site-data']).toBe('"cache", "storage"')
  for (const [name, value] of former) browser.cookies.set(name, value)
  expect(await browser.get('/session')).toMatchObject({ status: 401, error: { code: 'not_signed_in' } })
})

test('a new sign-in ends the session that the browser had', async () => {
  const user = await aUser(api)
  const browser = await aSignedInBrowser(api, user)
  const former = new Map(browser.cookies)
  await browser.signIn(user.email, testPassword)
  expect((await browser.get('/session')).status).toBe(200)
  for (const [name, value] of former) browser.cookies.set(name, value)
  expect((await browser.get('/session')).status).toBe(401)
})

test('a page that reads by itself keeps no session alive, whatever it reads; a write does', async () => {
  const { id } = await anOrganization(api)
  const user = await aUser(api)
  await aMembership(api, user, id)
  const [left, busy] = [await aSignedInBrowser(api, user), await aSignedInBrowser(api, user)]
  const headers = { 'x-crm-unattended': '1' }
  const hours = 3_600_000
  clock.advance(11 * hours)
  for (const path of ['/session', `/o/${id}/crm/contacts`]) expect((await left.get(path, { headers })).status).toBe(200)
  expect((await busy.patch('/account', { name: 'Una' }, { headers })).status).toBe(200)
  clock.advance(2 * hours)
  expect((await left.get('/session', { headers })).status).toBe(401)
  expect((await busy.get('/session')).status).toBe(200)
})

test('a session ends after twelve hours without a request, and after 14 days in any case', async () => {
  const user = await aUser(api)
  const [idle, busy] = [await aSignedInBrowser(api, user), await aSignedInBrowser(api, user)]
  const hours = 3_600_000
  for (let passed = 0; passed < 14 * 24 - 11; passed += 11) {
    clock.advance(11 * hours)
    expect((await busy.get('/session')).status).toBe(200)
  }
  expect((await idle.get('/session')).status).toBe(401)
  clock.advance(11 * hours)
  expect((await busy.get('/session')).status).toBe(401)
})
