import { describe, expect, it } from 'vitest'
import { newTokenText, parseToken, tokenText } from '../../server/src/kernel/index.ts'
import { isUuid } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { useApi } from './support/given.ts'
import { type RawAnswer, rawCall } from './support/raw.ts'
import { named, unknownId } from './support/requests.ts'
import { aToken } from './support/tokens.ts'

const given = useApi({ trustedProxies: ['127.0.0.1'] })

let addresses = 0
/** An address that no other test calls from, so that its failures count alone. */
function anAddress(): string {
  addresses += 1
  return `10.1.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`
}

interface Call {
  readonly headers?: Readonly<Record<string, string>>
  readonly address?: string
  readonly method?: string
  readonly path?: string
}

function call({ headers = {}, address = anAddress(), method = 'GET', path = '/capabilities' }: Call) {
  const forwarded = { 'x-forwarded-for': address }
  return rawCall(given.api, {
    method,
    path: path.startsWith('/api/') ? path : `/api/v1/crm${path}`,
    headers: { ...forwarded, ...headers },
  })
}

/** The token as somebody would forge it who knows how its checksum is made. */
function inEnvironment(environment: 'live' | 'test', token: string): string {
  const parts = parseToken(token)
  if (parts === null) throw new Error('this is no token')
  return tokenText({ ...parts, environment })
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function expectInvalidToken(
  { status, headers, body }: RawAnswer,
  envelope: Readonly<Record<string, string>> = {},
): void {
  expect(status).toBe(401)
  expect(body).toEqual({
    ...envelope,
    error: {
      code: 'invalid_token',
      message: expect.any(String),
      details: {},
      requestId: headers['x-request-id'],
    },
  })
  expect(isUuid(String(headers['x-request-id']))).toBe(true)
  expect(headers['www-authenticate']).toBe('Bearer')
  expect(headers['cache-control']).toBe('no-store')
  expect(Object.keys(headers).filter(name => name.startsWith('ratelimit'))).toEqual([])
}

describe.each(named(operations))('%s', (_, operation) => {
  it('answers 401 without a token, before it looks at anything else, without rate headers', async () => {
    const path = operation.path.replace('/api/v1/crm', '').replaceAll(/\{\w+\}/gu, unknownId)
    expectInvalidToken(
      await call({ method: operation.method, path: `${path}?colour=red` }),
      operation.conventions.envelope.failure,
    )
  })
})

type Failing = readonly [string, () => Promise<Call>]

const failures: readonly Failing[] = [
  ['without any header', async () => ({})],
  ['with an empty header', async () => ({ headers: { authorization: '' } })],
  ['with the scheme alone', async () => ({ headers: { authorization: 'Bearer' } })],
  ['with a text that is no token', async () => ({ headers: bearer('letmein') })],
  [
    'with another scheme',
    async () => ({ headers: { authorization: `Basic ${await aToken(given, await given.shared())}` } }),
  ],
  ['with a token that was never made', async () => ({ headers: bearer(newTokenText('live').text) })],
  [
    'with a token of which one character is wrong',
    async () => {
      const token = await aToken(given, await given.shared())
      return { headers: bearer(`${token.slice(0, 30)}${token[30] === 'a' ? 'b' : 'a'}${token.slice(31)}`) }
    },
  ],
  [
    'with the right token id and another secret',
    async () => {
      const [, , id = ''] = (await aToken(given, await given.shared())).split('_')
      const other = newTokenText('live')
      return { headers: bearer(other.text.replace(other.tokenId, id)) }
    },
  ],
  [
    'with a token that names another environment',
    async () => {
      const own = await aToken(given, await given.shared())
      return { headers: bearer(inEnvironment('test', own)) }
    },
  ],
  [
    'with an expired token',
    async () => ({
      headers: bearer(await aToken(given, await given.shared(), { expiresAt: '2026-03-02T10:00:29.999Z' })),
    }),
  ],
  [
    'with a revoked token',
    async () => ({
      headers: bearer(await aToken(given, await given.shared(), { revokedAt: '2026-03-01T00:00:00.000Z' })),
    }),
  ],
  [
    'with a token of a disabled application',
    async () => {
      const organization = await given.organization()
      const token = await aToken(given, organization)
      const disable = 'update applications set enabled = false where organization_id = $1'
      await given.configure(organization, disable, [organization.id])
      return { headers: bearer(token) }
    },
  ],
  [
    'from outside the networks of the token',
    async () => ({ headers: bearer(await aToken(given, await given.shared(), { cidrs: ['192.0.2.0/24'] })) }),
  ],
  [
    'with two headers that hold different valid tokens',
    async () => ({
      headers: {
        ...bearer(await aToken(given, await given.shared())),
        'x-api-token': await aToken(given, await given.shared()),
      },
    }),
  ],
  [
    'with a token in the query',
    async () => {
      const token = await aToken(given, await given.shared())
      return { path: `/capabilities?token=${token}&access_token=${token}&api_token=${token}` }
    },
  ],
]

describe('a request', () => {
  it.each(failures)('%s is answered 401 invalid_token', async (_, failing) => {
    expectInvalidToken(await call(await failing()))
  })

  it('gets the same answer whatever the reason, but for its request id', async () => {
    const answers = await Promise.all(failures.map(async ([, failing]) => call(await failing())))
    const bodies = answers.map(({ text, headers }) => text.replace(String(headers['x-request-id']), 'id'))
    expect(new Set(bodies).size).toBe(1)
    const names = answers.map(({ headers }) => Object.keys(headers).sort().join())
    expect(new Set(names).size).toBe(1)
  })

  it.each([
    ['Authorization: Bearer', (token: string) => ({ authorization: `Bearer ${token}` })],
    ['the scheme in any case', (token: string) => ({ authorization: `bEARER ${token}` })],
    ['X-Api-Token', (token: string) => ({ 'x-api-token': token })],
    ['both headers with one token', (token: string) => ({ ...bearer(token), 'x-api-token': token })],
  ])('is served with %s', async (_, headers) => {
    const token = await aToken(given, await given.shared())
    expect((await call({ headers: headers(token) })).status).toBe(200)
  })

  it('is served with the token of a sandbox, and not when that names the environment of others', async () => {
    const sandbox = await given.organization()
    const live = await aToken(given, sandbox)
    await given.configure(sandbox, 'update organizations set sandbox = true where id = $1', [sandbox.id])
    expect((await call({ headers: bearer(inEnvironment('test', live)) })).status).toBe(200)
    expectInvalidToken(await call({ headers: bearer(live) }))
  })

  it('is served until its token expires, by the clock of the server', async () => {
    const token = await aToken(given, await given.shared(), { expiresAt: '2026-03-02T10:00:30.001Z' })
    expect((await call({ headers: bearer(token) })).status).toBe(200)
    given.clock.advance(1)
    expectInvalidToken(await call({ headers: bearer(token) }))
  })

  it.each([
    ['192.0.2.0/24', '192.0.2.77'],
    ['192.0.2.0/24', '::ffff:192.0.2.77'],
    ['192.0.2.77', '192.0.2.77'],
    ['2001:db8::/32', '2001:db8:1:2::3'],
    ['192.0.2.0/24', '192.0.2.77:4711'],
    ['2001:db8::/32', '[2001:db8:1:2::3]:4711'],
    ['2001:db8::/32', '[2001:db8:1:2::3]'],
    ['192.0.2.0/24', '192.0.2.77:4711, 127.0.0.1:80, [::ffff:127.0.0.1]:81'],
  ])('is served to a token for %s from %s', async (cidr, address) => {
    const token = await aToken(given, await given.shared(), { cidrs: ['203.0.113.0/24', cidr] })
    expect((await call({ headers: bearer(token), address })).status).toBe(200)
  })

  it.each(['unknown', '192.0.2.77:', '192.0.2.77:http', '[192.0.2.77', '_hidden', '192.0.2.77, unknown', ',,', '%'])(
    'is refused to a token for a network when a proxy says that it is from %j',
    async address => {
      const token = await aToken(given, await given.shared(), { cidrs: ['192.0.2.0/24'] })
      expectInvalidToken(await call({ headers: bearer(token), address }))
    },
  )

  it('is served from inside and refused from outside the networks of one token', async () => {
    const token = await aToken(given, await given.shared(), { cidrs: ['192.0.2.0/24'] })
    expect((await call({ headers: bearer(token), address: '192.0.2.1' })).status).toBe(200)
    expectInvalidToken(await call({ headers: bearer(token), address: '192.0.3.1' }))
    expectInvalidToken(await call({ headers: bearer(token), address: '2001:db8::1' }))
  })
})

describe('after 30 failures within a minute', () => {
  async function fail(address: string, times: number): Promise<RawAnswer[]> {
    const answers: RawAnswer[] = []
    for (let index = 0; index < times; index += 1) answers.push(await call({ address }))
    return answers
  }

  it('the same failures answer 429 with Retry-After and without rate headers, a valid token is still served', async () => {
    given.clock.set('2026-03-02T10:05:20.000Z')
    const address = anAddress()
    for (const answer of await fail(address, 30)) expect(answer.status).toBe(401)
    const { status, headers, error } = await call({ address })
    expect([status, error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(error.details).toEqual({
      bucket: 'failed_authentication',
      limit: 30,
      windowSeconds: 60,
      retryAfterSeconds: 40,
    })
    expect(headers['retry-after']).toBe('40')
    expect(headers['ratelimit-limit']).toBeUndefined()
    const token = await aToken(given, await given.shared())
    expect((await call({ headers: bearer(token), address })).status).toBe(200)
  })

  it('429 looks the same for every reason', async () => {
    given.clock.set('2026-03-02T10:06:20.000Z')
    const address = anAddress()
    await fail(address, 30)
    const bodies: string[] = []
    for (const [, failing] of failures) {
      const { status, text, headers } = await call({ ...(await failing()), address })
      expect(status).toBe(429)
      bodies.push(text.replace(String(headers['x-request-id']), 'id'))
    }
    expect(new Set(bodies).size).toBe(1)
  })

  it('another address is still answered 401, and so is this one in the next minute', async () => {
    given.clock.set('2026-03-02T10:07:59.000Z')
    const address = anAddress()
    await fail(address, 31)
    expect((await call({})).status).toBe(401)
    given.clock.set('2026-03-02T10:08:00.000Z')
    expect((await call({ address })).status).toBe(401)
  })

  it('the addresses of one IPv6 /64 network count together, those of the next do not', async () => {
    given.clock.set('2026-03-02T10:09:00.000Z')
    for (let host = 1; host <= 30; host += 1) {
      expect((await call({ address: `2001:db8:0:1::${host.toString(16)}` })).status).toBe(401)
    }
    expect((await call({ address: '2001:db8:0:1:ffff::1' })).status).toBe(429)
    expect((await call({ address: '2001:db8:0:2::1' })).status).toBe(401)
  })

  it.each([
    ['the ports of one address', (port: number) => `198.51.100.8:${port}`, '198.51.100.8'],
    ['the ports of one IPv6 network', (port: number) => `[2001:db8:7::${port}]:${port}`, '2001:db8:7::'],
    ['words that are no address', (port: number) => `word-${port}`, 'unknown'],
  ])('%s count together', async (_, addressOf, plain) => {
    given.clock.advance(60_000)
    for (let port = 1000; port < 1030; port += 1) expect((await call({ address: addressOf(port) })).status).toBe(401)
    expect((await call({ address: plain })).status).toBe(429)
  })

  it('requests with a valid token have not counted', async () => {
    given.clock.set('2026-03-02T10:10:00.000Z')
    const address = anAddress()
    const headers = bearer(await aToken(given, await given.shared()))
    for (let index = 0; index < 40; index += 1) expect((await call({ address, headers })).status).toBe(200)
    expect((await call({ address })).status).toBe(401)
  })
})
