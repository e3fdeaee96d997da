import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { Browser } from '../support/browser.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { anOrganization } from '../support/organization.ts'
import { aSignedInBrowser, aUser, testPassword } from '../support/people.ts'

const publicBaseUrl = 'https://crm.example.com'
let api: TestApi
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase(), publicBaseUrl, trustedProxies: ['127.0.0.1'] })
})
afterAll(() => api.close())

/** What a trusted proxy with TLS sends on. */
const throughProxy = {
  host: 'crm.example.com',
  origin: publicBaseUrl,
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '192.0.2.7',
}

describe('a write is refused unless it comes from the pages of this server', () => {
  test.each([
    ['Origin', { origin: 'https://elsewhere.example' }],
    ['Origin', { origin: 'null' }],
    ['Origin', { origin: undefined }],
    ['X-Crm-Cabinet', { 'x-crm-cabinet': undefined }],
    ['Content-Type', { 'content-type': 'text/plain' }],
    ['Content-Type', { 'content-type': undefined }],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'same-site' }],
  ])('%s of %j', async (name, headers) => {
    const browser = await aSignedInBrowser(api, await aUser(api))
    for (const [method, path] of [
      ['POST', '/session'],
      ['DELETE', '/session'],
      ['PATCH', '/account'],
    ] as const) {
      const refused = await browser.call(method, path, {}, { headers })
      expect(refused).toMatchObject({
        status: 403,
        error: { code: 'wrong_origin' },
        details: { headers: [name] },
      })
    }
    expect((await browser.get('/session')).status).toBe(200)
  })

  test('a browser that sends no Sec-Fetch-Site is an old one', async () => {
    const answer = await new Browser(api).call('DELETE', '/session', undefined, {
      headers: { 'sec-fetch-site': undefined },
    })
    expect(answer.status).toBe(204)
  })
})

describe('the host', () => {
  test.each(['evil.example', 'crm.example.com.evil.example', '10.0.0.7:3000', 'user@localhost'])(
    'is none of this server: %s',
    async host => {
      const browser = await aSignedInBrowser(api, await aUser(api))
      expect(await browser.get('/session', { headers: { host } })).toMatchObject({
        status: 421,
        error: { code: 'wrong_host' },
      })
    },
  )

  test.each(['localhost', 'localhost:3000', '127.0.0.1:1', '[::1]:3000'])('is one of the machine: %s', async host => {
    const browser = await aSignedInBrowser(api, await aUser(api))
    expect((await browser.get('/session', { headers: { host } })).status).toBe(200)
  })
})

describe('cookies', () => {
  test('over https they have the prefix __Host-, and a plain one is not read', async () => {
    const user = await aUser(api)
    const browser = new Browser(api, throughProxy)
    const answer = await browser.signIn(user.email, testPassword)
    const given = [answer.headers['set-cookie'] ?? []].flat()
    expect(given).toHaveLength(2)
    for (const line of given)
      expect(line).toMatch(/^__Host-crm-(?:known-)?\d{6}=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/u)
    expect((await browser.get('/session')).status).toBe(200)
    const [[name, secret] = ['', '']] = [...browser.cookies].filter(([each]) => !each.includes('known'))
    const plain = new Browser(api, throughProxy)
    plain.cookies.set(name.replace('__Host-', ''), secret)
    expect((await plain.get('/session')).status).toBe(401)
  })

  test('over http a browser of the machine has plain ones, which are not marked as secure', async () => {
    const user = await aUser(api)
    const answer = await new Browser(api).signIn(user.email, testPassword)
    for (const line of [answer.headers['set-cookie'] ?? []].flat())
      expect(line).toMatch(/^crm-(?:known-)?\d{6}=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/u)
  })

  test.each([
    ['http to the public name', { ...throughProxy, 'x-forwarded-proto': 'http', origin: 'http://crm.example.com' }],
    ['http from another machine by a loopback name', { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'http' }],
  ])('%s: nobody can sign in', async (_, headers) => {
    const user = await aUser(api)
    const answer = await new Browser(api, headers).signIn(user.email, testPassword)
    expect(answer).toMatchObject({ status: 403, error: { code: 'sign_in_not_possible' } })
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('two cookies with the name of the session are none', async () => {
    const browser = await aSignedInBrowser(api, await aUser(api))
    const [[name = '', secret = ''] = []] = browser.cookies
    expect((await browser.get('/session', { headers: { cookie: `${name}=x; ${name}=${secret}` } })).status).toBe(401)
  })

  test('they authenticate nothing in the public API, and a token nothing in the cabinet', async () => {
    const { client } = await anOrganization(api)
    const browser = await aSignedInBrowser(api, await aUser(api))
    expect((await browser.get('/api/v1/crm/capabilities')).status).toBe(401)
    const both = await browser.get('/api/v1/crm/capabilities', { headers: { authorization: `Bearer ${client.token}` } })
    expect(both.status).toBe(200)
    for (const headers of [{ authorization: `Bearer ${client.token}` }, { 'x-api-token': client.token }]) {
      expect((await new Browser(api).get('/session', { headers })).status).toBe(401)
      expect((await browser.get('/session', { headers })).status).toBe(200)
    }
  })
})

describe('a proxy on this machine that is not trusted', () => {
  let direct: TestApi
  beforeAll(async () => {
    direct = await startApi({ test: await sharedTestDatabase() })
  })
  afterAll(() => direct.close())

  test.each([
    { 'x-forwarded-for': '192.0.2.7' },
    { 'x-forwarded-host': 'crm.example.com' },
    { 'x-forwarded-proto': 'https' },
    { 'x-real-ip': '192.0.2.7' },
    { forwarded: 'for=192.0.2.7' },
    { via: '1.1 proxy' },
  ])('is no browser of the machine: %j', async headers => {
    const user = await aUser(direct)
    expect((await new Browser(direct).signIn(user.email, testPassword)).status).toBe(200)
    const answer = await new Browser(direct, headers).signIn(user.email, testPassword)
    expect(answer).toMatchObject({ status: 403, error: { code: 'sign_in_not_possible' } })
  })
})

test('whatever is answered below /cabinet has the headers that protect pages, and lets no other origin read it', async () => {
  for (const path of ['/session', '/cabinet/api/nothing', '/cabinet/nothing', '/cabinet']) {
    const { headers } = await new Browser(api).get(path, { headers: { origin: 'https://elsewhere.example' } })
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'"),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  }
  expect((await new Browser(api).get('/session')).headers['cache-control']).toBe('no-store')
  expect((await new Browser(api).get('/cabinetry')).headers['content-security-policy']).toBeUndefined()
})

test('an address whose cookies fail thirty times in a minute waits, and its sessions go on', async () => {
  const browser = await aSignedInBrowser(api, await aUser(api))
  const forged = await aSignedInBrowser(api, await aUser(api))
  const from = { headers: { ...throughProxy, 'x-forwarded-for': '192.0.2.99' } }
  for (const [name] of [...forged.cookies]) forged.cookies.set(`__Host-${name}`, 'x'.repeat(43))
  for (let each = 0; each < 31; each += 1) await forged.get('/session', from)
  expect((await forged.get('/session', from)).error.code).toBe('rate_limit_exceeded')
  for (const [name, value] of [...browser.cookies]) browser.cookies.set(`__Host-${name}`, value)
  expect((await browser.get('/session', from)).status).toBe(200)
})
