import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { failedAuthenticationLimit } from '../../server/src/kernel/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { Browser } from '../support/browser.ts'
import { aSignedInBrowser, aUser, testPassword } from '../support/people.ts'

const clock = new TestClock()
let api: TestApi
beforeAll(async () => {
  // A database of its own: what other tests change there empties the cache, too.
  api = await startApi({ clock })
})
afterAll(() => api.close())
beforeEach(() => clock.advance(60_000))
afterEach(() => vi.restoreAllMocks())

/** A browser with the cookie of a session that there never was. */
async function aStranger(): Promise<Browser> {
  const browser = await aSignedInBrowser(api, await aUser(api))
  for (const name of browser.cookies.keys()) browser.cookies.set(name, randomBytes(32).toString('base64url'))
  return browser
}

/** Which of these requests forget sessions. The server also does so by itself when people change: that has another caller. */
async function forgetting(requests: () => Promise<void>): Promise<number> {
  let times = 0
  const { sessions } = api.services.authentication
  const forget = sessions.forget.bind(sessions)
  const spied = vi.spyOn(sessions, 'forget').mockImplementation(() => {
    if (new Error('who calls').stack?.includes('/people/') === true) times += 1
    forget()
  })
  await requests()
  spied.mockRestore()
  return times
}

test('who is not signed in empties no cache', async () => {
  const stranger = await aStranger()
  const browser = await aSignedInBrowser(api, await aUser(api))
  const link = randomBytes(32).toString('base64url')
  const ofNothing = await forgetting(async () => {
    expect((await stranger.delete('/session')).status).toBe(204)
    expect((await new Browser(api).post('/links/use', { link })).status).toBe(410)
    expect((await browser.post('/session/fresh', { password: 'wrong' })).status).toBe(401)
  })
  const ofSignOut = await forgetting(async () => {
    expect((await browser.delete('/session')).status).toBe(204)
  })
  expect([ofNothing, ofSignOut]).toEqual([0, 1])
})

test('an address that sends too many cookies of no session gets 429 at open routes, too, and signs in without one', async () => {
  const stranger = await aStranger()
  const former = new Map(stranger.cookies)
  const again = () => {
    for (const [name, value] of former) stranger.cookies.set(name, value)
    return stranger.delete('/session')
  }
  for (let each = 0; each < failedAuthenticationLimit; each += 1) expect((await again()).status).toBe(204)
  expect(await again()).toMatchObject({
    status: 429,
    error: { code: 'rate_limit_exceeded' },
    details: { bucket: 'failed_authentication' },
  })
  expect((await new Browser(api).signIn((await aUser(api)).email, testPassword)).status).toBe(200)
})
