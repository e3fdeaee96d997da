import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { endOneSession } from '../../server/src/people/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { Browser } from '../support/browser.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { aCode, aFactor, aSignedInBrowser, aUser, testPassword } from '../support/people.ts'

const clock = new TestClock()
let api: TestApi
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase(), clock })
})
afterAll(() => api.close())
beforeEach(() => clock.advance(60_000))

const newPassword = 'nine quiet harbours'

test('a user changes the own name and language, and nothing else', async () => {
  const user = await aUser(api)
  const browser = await aSignedInBrowser(api, user)
  const changed = await browser.patch('/account', { name: 'Una Lind', locale: 'de' })
  expect(changed.data.user).toMatchObject({ id: user.id, name: 'Una Lind', locale: 'de' })
  for (const member of ['email', 'active', 'proven', 'role', 'id', 'passwordHash', 'password_hash', 'totpSecret'])
    expect(await browser.patch('/account', { name: 'Eve', [member]: true })).toMatchObject({
      status: 400,
      details: { issues: [{ path: `/${member}`, rule: 'unknown_field' }] },
    })
  expect((await browser.get('/session')).data.user).toMatchObject({ name: 'Una Lind', email: user.email })
})

test('a new password needs the current one, ends all other sessions, and gives this one a new secret', async () => {
  const user = await aUser(api)
  const [browser, other] = [await aSignedInBrowser(api, user), await aSignedInBrowser(api, user)]
  const former = new Map(browser.cookies)
  const wrong = await browser.post('/account/password', { currentPassword: 'wrong', newPassword })
  expect(wrong).toMatchObject({ status: 401, error: { code: 'sign_in_refused' } })
  expect((await other.get('/session')).status).toBe(200)
  const changed = await browser.post('/account/password', { currentPassword: testPassword, newPassword })
  expect(changed.status).toBe(200)
  expect((await other.get('/session')).status).toBe(401)
  expect((await browser.get('/session')).status).toBe(200)
  for (const [name, value] of former) browser.cookies.set(name, value)
  expect((await browser.get('/session')).status).toBe(401)
  expect((await new Browser(api).signIn(user.email, testPassword)).status).toBe(401)
  expect((await new Browser(api).signIn(user.email, newPassword)).status).toBe(200)
})

test.each([
  ['too_short', 'only eleven'],
  ['too_long', 'long enough '.repeat(22)],
  ['too_common', 'Password1234'],
  ['too_common', 'aaaaaaaaaaaaaa'],
  ['own_name', 'una.berg1234'],
])('a new password is refused that is %s: %s', async (rule, password) => {
  const browser = await aSignedInBrowser(api, await aUser(api, { name: 'Una Berg' }))
  const refused = await browser.post('/account/password', { currentPassword: testPassword, newPassword: password })
  expect(refused).toMatchObject({ status: 422, details: { issues: [{ path: '/newPassword', rule }] } })
})

test('a second factor is offered to who has just signed in, confirmed by a code, and asked for from then on', async () => {
  const user = await aUser(api)
  const [browser, other] = [await aSignedInBrowser(api, user), await aSignedInBrowser(api, user)]
  const offered = await browser.post('/account/second-factor')
  expect(offered.data.uri).toContain(`secret=${String(offered.data.secret)}`)
  const wrong = await browser.post('/account/second-factor/confirm', { code: '000000' })
  expect(wrong).toMatchObject({ status: 422, details: { issues: [{ path: '/code', rule: 'wrong_code' }] } })
  expect((await new Browser(api).signIn(user.email, testPassword)).status).toBe(200)
  const code = await aCode(clock.now(), String(offered.data.secret))
  const confirmed = await browser.post('/account/second-factor/confirm', { code })
  const codes = confirmed.data.recoveryCodes
  expect(codes).toHaveLength(10)
  expect((await other.get('/session')).status).toBe(401)
  expect((await browser.get('/session')).data.user).toMatchObject({ hasSecondFactor: true })
  expect((await new Browser(api).signIn(user.email, testPassword, code)).status).toBe(401)
  const [recovery = ''] = Array.isArray(codes) ? codes.map(String) : []
  expect((await new Browser(api).signIn(user.email, testPassword, recovery.toUpperCase())).status).toBe(200)
  expect((await new Browser(api).signIn(user.email, testPassword, recovery)).status).toBe(401)
})

test('the secret of a second factor is kept encrypted, and recovery codes as hashes', async () => {
  const user = await aUser(api)
  const browser = await aSignedInBrowser(api, user)
  const { data } = await browser.post('/account/second-factor')
  const secret = String(data.secret)
  const { data: confirmed } = await browser.post('/account/second-factor/confirm', {
    code: await aCode(clock.now(), secret),
  })
  const rows = await api.test.database.query(
    statement(
      'test_read_factor',
      'select u.totp_secret, c.code_hash from users u join recovery_codes c on c.user_id = u.id where u.id = $1',
    ),
    [user.id],
  )
  const stored = rows.map(row => `${String(row.totp_secret)} ${String(row.code_hash)}`).join(' ')
  expect(stored).not.toContain(secret)
  for (const code of Array.isArray(confirmed.recoveryCodes) ? confirmed.recoveryCodes : [])
    expect(stored).not.toContain(String(code).replaceAll('-', ''))
})

test('ten minutes after the password was entered, it has to be entered again', async () => {
  const user = await aUser(api, { factor: aFactor })
  const browser = await aSignedInBrowser(api, user)
  clock.advance(600_000)
  expect((await browser.get('/session')).data.freshUntil).toBeNull()
  expect(await browser.post('/account/second-factor')).toMatchObject({
    status: 403,
    error: { code: 'fresh_sign_in_required' },
  })
  expect((await browser.post('/session/fresh', { password: testPassword })).error.code).toBe('second_factor_required')
  expect((await browser.post('/session/fresh', { password: 'wrong' })).error.code).toBe('sign_in_refused')
  const renewed = await browser.post('/session/fresh', { password: testPassword, code: await aCode(clock.now()) })
  expect(renewed.data.freshUntil).toBe(new Date(clock.now() + 600_000).toISOString())
  expect((await browser.post('/account/second-factor')).status).toBe(200)
})

test('strangers who guess do not keep a signed-in user from entering the password again', async () => {
  const user = await aUser(api)
  const browser = await aSignedInBrowser(api, user)
  for (let each = 0; each < 6; each += 1) await new Browser(api).signIn(user.email, 'wrong')
  expect((await browser.post('/session/fresh', { password: testPassword })).status).toBe(200)
  for (let each = 0; each < 5; each += 1) await browser.post('/session/fresh', { password: 'wrong' })
  expect((await browser.post('/session/fresh', { password: testPassword })).status).toBe(429)
})

test('a user sees the own sessions, ends one, and then all others', async () => {
  const [user, stranger] = [await aUser(api), await aUser(api)]
  const [browser, phone, third] = [
    await aSignedInBrowser(api, user),
    await aSignedInBrowser(api, user),
    await aSignedInBrowser(api, user),
  ]
  const { items } = await browser.get('/account/sessions')
  expect(items).toHaveLength(3)
  expect(items.filter(({ current }) => current === true)).toHaveLength(1)
  const [mine] = (await phone.get('/account/sessions')).items.filter(({ current }) => current === true)
  const elsewhere = await aSignedInBrowser(api, stranger)
  expect((await elsewhere.delete(`/account/sessions/${String(mine?.id)}`)).status).toBe(404)
  expect((await browser.delete('/account/sessions/nonsense')).status).toBe(404)
  expect((await phone.get('/session')).status).toBe(200)
  expect((await browser.delete(`/account/sessions/${String(mine?.id)}`)).status).toBe(204)
  expect((await phone.get('/session')).status).toBe(401)
  expect((await third.get('/session')).status).toBe(200)
  expect((await browser.delete('/account/sessions')).status).toBe(204)
  expect((await third.get('/session')).status).toBe(401)
  expect((await browser.get('/session')).status).toBe(200)
})

test('no session is read again because somebody has ended one that is not there', async () => {
  const user = await aUser(api)
  const browser = await aSignedInBrowser(api, user)
  const [own] = (await browser.get('/account/sessions')).items
  let forgotten = 0
  const authentication = { sessions: { forget: () => void (forgotten += 1) } }
  const services = { database: api.services.database, clock, authentication }
  expect(await endOneSession({ user }, newId(), '127.0.0.1', services)).toMatchObject({ code: 'not_found' })
  expect(forgotten).toBe(0)
  expect(await endOneSession({ user }, String(own?.id), '127.0.0.1', services)).toBeNull()
  expect(forgotten).toBe(1)
})

test('a user who signs in again and again has the last fifty sessions', async () => {
  const user = await aUser(api)
  const first = await aSignedInBrowser(api, user)
  await first.get('/session')
  for (let each = 0; each < 50; each += 1) {
    clock.advance(1000)
    await aSignedInBrowser(api, user)
  }
  const browser = new Browser(api)
  await browser.signIn(user.email, testPassword)
  expect((await browser.get('/account/sessions')).items).toHaveLength(50)
})

test('account routes count against the rates of the user, together with the operations', async () => {
  const [user, other] = [await aUser(api), await aUser(api)]
  const browser = await aSignedInBrowser(api, user)
  const [read, written] = [await browser.get('/session'), await browser.patch('/account')]
  expect([read.headers['ratelimit-limit'], written.headers['ratelimit-limit']]).toEqual(['1200', '240'])
  await api.services.counters.add(`write:${user.id}`, 239)
  for (const path of ['/account/password', '/account/second-factor', '/session/fresh'])
    expect(await browser.post(path)).toMatchObject({
      status: 429,
      error: { code: 'rate_limit_exceeded' },
      details: { bucket: 'write', limit: 240 },
    })
  await api.services.counters.add(`read:${user.id}`, 1199)
  expect((await browser.get('/account/sessions')).details).toMatchObject({ bucket: 'read', limit: 1200 })
  expect((await (await aSignedInBrowser(api, other)).patch('/account')).status).toBe(200)
  expect((await browser.delete('/session')).status).toBe(204)
})

test('a new password is not hashed where attempts have to wait or fail', async () => {
  const browser = await aSignedInBrowser(api, await aUser(api))
  const before = api.passwords.made
  const change = () => browser.post('/account/password', { currentPassword: 'wrong', newPassword })
  for (let each = 0; each < 5; each += 1) expect((await change()).status).toBe(401)
  expect((await change()).status).toBe(429)
  expect(api.passwords.made - before).toBe(5)
})

test.each([
  ['GET', '/account/sessions'],
  ['DELETE', '/account/sessions'],
  ['PATCH', '/account'],
  ['POST', '/account/password'],
  ['POST', '/account/second-factor'],
  ['POST', '/account/second-factor/confirm'],
  ['POST', '/session/fresh'],
])('%s %s is for who is signed in', async (method, path) => {
  const answer = await new Browser(api).call(method, path, method === 'GET' ? undefined : {})
  expect(answer).toMatchObject({ status: 401, error: { code: 'not_signed_in' } })
})
