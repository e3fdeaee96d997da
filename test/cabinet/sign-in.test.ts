import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { Overloaded } from '../../server/src/kernel/admission/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { Browser } from '../support/browser.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { aCode, aFactor, aUser, testPassword } from '../support/people.ts'

const clock = new TestClock()
let api: TestApi
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase(), clock })
})
afterAll(() => api.close())
// Another minute: what an address failed in the one before does not count.
beforeEach(() => clock.advance(60_000))

const unlike = ({ text }: { readonly text: string }) => text.replace(/"requestId":"[^"]*"/u, '')

test('a wrong password, an unknown address, and a user who is not active get the same answer after the same work', async () => {
  const [known, inactive] = [await aUser(api), await aUser(api, { active: false })]
  const seen: unknown[] = []
  for (const [email, password] of [
    [known.email, 'not the password'],
    ['nobody@example.com', testPassword],
    [inactive.email, testPassword],
  ] as const) {
    const before = api.passwords.made
    const answer = await new Browser(api).signIn(email, password)
    const { 'x-request-id': _, date: __, ...headers } = answer.headers
    seen.push({ status: answer.status, body: unlike(answer), headers, hashes: api.passwords.made - before })
  }
  expect(seen[0]).toMatchObject({ status: 401, hashes: 1 })
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
})

test('after five failures an account waits, each time twice as long, with the right password and whether or not it exists', async () => {
  for (const email of [(await aUser(api)).email, 'somebody-else@example.com']) {
    clock.advance(60_000)
    for (let each = 0; each < 5; each += 1)
      expect((await new Browser(api).signIn(email, 'wrong')).error.code).toBe('sign_in_refused')
    const waiting = await new Browser(api).signIn(email, testPassword)
    expect(waiting).toMatchObject({
      status: 429,
      error: { code: 'too_many_attempts' },
      headers: { 'retry-after': '2' },
      details: { retryAt: new Date(clock.now() + 2000).toISOString() },
    })
    clock.advance(2000)
    expect((await new Browser(api).signIn(email, 'wrong')).status).toBe(401)
    expect((await new Browser(api).signIn(email, 'wrong')).headers['retry-after']).toBe('4')
  }
})

test('two spellings of an address that the database takes for one account have its attempts together', async () => {
  const { email } = await aUser(api, { email: `ida-${newId()}@example.com` })
  const other = email.replace('i', '\u0130')
  const [row] = await api.test.database.query(
    statement('test_compare_spellings', 'select lower($1::text) = lower($2::text) as is_same'),
    [email, other],
  )
  for (let each = 0; each < 5; each += 1) await new Browser(api).signIn(email, 'wrong')
  expect((await new Browser(api).signIn(email.toUpperCase(), testPassword)).status).toBe(429)
  expect((await new Browser(api).signIn(other, testPassword)).status).toBe(row?.is_same === true ? 429 : 401)
})

test('an attempt that found no room to be looked at does not count', async () => {
  const { email } = await aUser(api)
  const matches = vi.spyOn(api.passwords, 'matches').mockRejectedValue(new Overloaded('addressHashesWaiting'))
  for (let each = 0; each < 8; each += 1) expect((await new Browser(api).signIn(email, testPassword)).status).toBe(503)
  matches.mockRestore()
  for (let each = 0; each < 5; each += 1) expect((await new Browser(api).signIn(email, 'wrong')).status).toBe(401)
  expect((await new Browser(api).signIn(email, testPassword)).status).toBe(429)
})

test('many attempts at once are all counted before a password is looked at', async () => {
  const { email } = await aUser(api)
  const answers = await Promise.all(Array.from({ length: 12 }, () => new Browser(api).signIn(email, 'wrong')))
  const codes = answers.map(({ error }) => error.code)
  expect(codes.filter(code => code === 'sign_in_refused')).toHaveLength(5)
  expect(codes.filter(code => code === 'too_many_attempts')).toHaveLength(7)
})

test('a browser that signed in before has attempts of its own, for its account only', async () => {
  const [user, other] = [await aUser(api), await aUser(api)]
  const browser = new Browser(api)
  await browser.signIn(user.email, testPassword)
  await browser.delete('/session')
  for (const { email } of [user, other])
    for (let each = 0; each < 5; each += 1) await new Browser(api).signIn(email, 'wrong')
  expect((await new Browser(api).signIn(user.email, testPassword)).status).toBe(429)
  expect((await browser.signIn(other.email, testPassword)).status).toBe(429)
  expect((await browser.signIn(user.email, testPassword)).status).toBe(200)
  const [name = ''] = [...browser.cookies.keys()].filter(each => each.includes('known'))
  const text = browser.cookies.get(name) ?? ''
  const forged = new Browser(api)
  forged.cookies.set(name, `${text.slice(0, -1)}${text.endsWith('A') ? 'Q' : 'A'}`)
  expect((await forged.signIn(user.email, testPassword)).status).toBe(429)
})

test('an address that fails thirty times in a minute waits, for every account, and sessions go on', async () => {
  const user = await aUser(api)
  const browser = new Browser(api)
  expect((await browser.signIn(user.email, testPassword)).status).toBe(200)
  for (let each = 0; each < 30; each += 1) await new Browser(api).signIn(`guess-${each}@example.com`, 'wrong')
  const before = api.passwords.made
  const refused = await new Browser(api).signIn((await aUser(api)).email, testPassword)
  expect(refused).toMatchObject({ status: 429, error: { code: 'rate_limit_exceeded' } })
  expect(api.passwords.made).toBe(before)
  expect((await browser.get('/session')).status).toBe(200)
})

test('with a second factor, the password alone is not enough', async () => {
  const user = await aUser(api, { factor: aFactor })
  const browser = new Browser(api)
  expect(await browser.signIn(user.email, testPassword)).toMatchObject({
    status: 401,
    error: { code: 'second_factor_required' },
  })
  expect((await browser.signIn(user.email, testPassword, '000000')).error.code).toBe('sign_in_refused')
  expect((await browser.signIn(user.email, 'wrong', await aCode(clock.now()))).error.code).toBe('sign_in_refused')
  const [, , late, early] = [0, 0, -60_000, 60_000]
  for (const off of [late, early])
    expect((await browser.signIn(user.email, testPassword, await aCode(clock.now() + (off ?? 0)))).status).toBe(401)
})

test('a code is good once, also for ten requests at once, and so is an earlier one', async () => {
  const user = await aUser(api, { factor: aFactor })
  const code = await aCode(clock.now())
  const browsers = await Promise.all(
    Array.from({ length: 5 }, () => new Browser(api).signIn(user.email, testPassword, code)),
  )
  expect(browsers.filter(({ status }) => status === 200)).toHaveLength(1)
  const before = await aCode(clock.now() - 30_000)
  clock.advance(16_000)
  expect((await new Browser(api).signIn(user.email, testPassword, before)).status).toBe(401)
})

test('a hash that was made with weaker parameters is made anew when its user signs in', async () => {
  const weak = '$argon2id$v=19$m=8,t=1,p=1$'
  const { hash } = await import('@node-rs/argon2')
  const user = await aUser(api)
  const stored = await hash(testPassword, { memoryCost: 8, timeCost: 1, parallelism: 1 })
  expect(stored.startsWith(weak)).toBe(true)
  await api.test.database.query(
    statement('test_weaken_password', 'update users set password_hash = $2 where id = $1'),
    [user.id, stored],
  )
  expect((await new Browser(api).signIn(user.email, testPassword)).status).toBe(200)
  const [row] = await api.test.database.query(
    statement('test_read_password', 'select password_hash from users where id = $1'),
    [user.id],
  )
  expect(String(row?.password_hash)).toContain('m=19456,t=2,p=1')
  expect((await new Browser(api).signIn(user.email, testPassword)).status).toBe(200)
})

test('the log of accounts tells of a sign-in, and of one failure a minute', async () => {
  const user = await aUser(api)
  for (const password of ['wrong', 'wrong', testPassword]) await new Browser(api).signIn(user.email, password)
  const events = await api.test.database.query(
    statement(
      'test_read_account_events',
      'select event from account_events where user_id = $1 order by occurred_at, id',
    ),
    [user.id],
  )
  expect(events.map(({ event }) => event)).toEqual(['sign_in_failed', 'signed_in'])
})

test('an answer leads nowhere: what a request asks to be led to is refused', async () => {
  const user = await aUser(api)
  const answer = await new Browser(api).post('/session', {
    email: user.email,
    password: testPassword,
    redirect: 'https://elsewhere.example',
  })
  expect(answer).toMatchObject({ status: 400, error: { code: 'validation_error' } })
  const signedIn = await new Browser(api).post('/session?next=https://elsewhere.example', {
    email: user.email,
    password: testPassword,
  })
  expect(signedIn.headers.location).toBeUndefined()
  expect(signedIn.text).not.toContain('elsewhere')
})
