import { beforeAll, describe, expect, test } from 'vitest'
import { isUuid, newId } from '../../../../server/src/kernel/schema/index.ts'
import type { Installation } from '../../support/installations.ts'
import { exchange, requestText, Wire, type WireAnswer } from '../../support/wire.ts'
import { onServer } from './server.ts'

let installation: Installation
let url: string

beforeAll(async () => {
  installation = await onServer()
  url = installation.server.url
})

const contacts = '/api/v1/crm/contacts'
const closing = (method: string, path: string, headers: Record<string, string> = {}) =>
  requestText(method, path, { Connection: 'close', ...headers })

async function one(bytes: string): Promise<WireAnswer> {
  const [answer, ...others] = await exchange(url, bytes)
  expect(others).toEqual([])
  if (answer === undefined) throw new Error('closed without an answer')
  return answer
}

function expectEnvelope(answer: WireAnswer, status: number, code: string, form: object = {}, details = {}): void {
  const { requestId } = answer.error
  expect(answer.status).toBe(status)
  expect(answer.body).toEqual({
    ...form,
    error: { code, message: expect.any(String), details, requestId: expect.any(String) },
  })
  expect(isUuid(String(requestId))).toBe(true)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
}

describe('a message that is no HTTP/1.1', () => {
  test.each([
    ['words', 'Good morning\r\n\r\n'],
    ['a method in small letters', 'get / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another version', 'GET / HTTP/3.0\r\nHost: x\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\nContent-Length: nonsense\r\n\r\n'],
    ['a space in the name of a header', 'GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['a length and chunks', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['headers beyond 16 KiB', requestText('GET', '/livez', { 'X-Long': 'x'.repeat(17_000) })],
    ['a line beyond 16 KiB', requestText('GET', `/livez?${'x'.repeat(17_000)}`)],
  ])('is refused in the envelope, and the connection closed: %s', async (_, bytes) => {
    const answer = await one(bytes)
    expectEnvelope(answer, 400, 'validation_error')
    expect(answer.headers.connection).toBe('close')
    expect(answer.headers['x-request-id']).toBe(answer.error.requestId)
  })

  test('a chunk that is none ends a request without effect', async () => {
    const externalId = `chunk-${newId()}`
    const body = JSON.stringify({ firstName: 'Anna', externalId })
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': newId(), 'Transfer-Encoding': 'chunked' }
    const token = `Bearer ${installation.client.token}`
    const text = requestText('POST', contacts, { ...headers, Authorization: token })
    const answer = await one(`${text}${body.length.toString(16)}\r\n${body}\r\nnonsense\r\n\r\n`)
    expectEnvelope(answer, 400, 'validation_error')
    expect((await installation.client.get(`/contacts?externalId=${externalId}`)).items).toEqual([])
  })

  test('is answered in the envelope: an unknown expectation', async () => {
    const answer = await one(closing('GET', contacts, { Expect: 'tea' }))
    expectEnvelope(answer, answer.status, String(answer.error.code))
  })

  test('is not answered in place of the request before it', async () => {
    const authorization = { Authorization: `Bearer ${installation.client.token}` }
    const answer = await one(`${requestText('GET', `${contacts}?limit=1`, authorization)}Good morning\r\n\r\n`)
    expect([answer.status, answer.headers.connection]).toEqual([200, 'close'])
  })

  test('costs others nothing', async () => {
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect(installation.server.running).toBe(true)
  })
})

describe('a path that is no route', () => {
  const external = { status: 'ERROR' }

  test.each([
    ['GET', '/api/v1/crm/pets', {}],
    ['POST', '/nowhere', {}],
    ['PUT', contacts, {}],
    ['OPTIONS', contacts, {}],
    ['TRACE', contacts, {}],
    ['PURGE', contacts, {}],
    ['OPTIONS', '*', {}],
    ['GET', `//${contacts}`, {}],
    ['GET', `${contacts}/%`, {}],
    ['GET', `${contacts}/%zz?limit=1`, {}],
    ['PATCH', `${contacts}/%C3`, {}],
    ['GET', '/%2e%2e/%2e%2e/etc/passwd', {}],
    ['GET', '/api/v1/external/pets', external],
    ['DELETE', '/api/v1/external/%zz', external],
    ['GET', '/api/v1/ai-agents/external/pets?x=%zz', external],
  ])('is answered 404 in the form of its prefix: %s %s', async (method, path, form) => {
    const answer = await one(closing(method, path, { 'X-Request-Id': 'job-17' }))
    // A path of a record whose id cannot be read has a route.
    const details = path.includes('/contacts/%') ? {} : { document: '/openapi.json', routes: expect.any(Array) }
    expectEnvelope(answer, 404, 'not_found', form, details)
    expect(answer.headers['x-request-id']).toBe('job-17')
  })

  test('does not cost the connection', async () => {
    const wire = await Wire.open(url)
    wire.send(requestText('GET', '/nowhere') + requestText('GET', `${contacts}/%zz`) + requestText('GET', '/livez'))
    const answers = await wire.answered(3)
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 200])
    wire.hangUp()
  })
})

describe('the id of a request', () => {
  const uuid = '0190A0B0-1111-7222-8333-444455556666'
  const answered: readonly [string, (headers: Record<string, string>) => string][] = [
    ['200', headers => closing('GET', `${contacts}?limit=1`, { ...authorized(), ...headers })],
    ['400', headers => closing('GET', `${contacts}?limit=0`, { ...authorized(), ...headers })],
    ['401', headers => closing('GET', contacts, headers)],
    ['404', headers => closing('GET', '/nowhere', headers)],
    ['413', headers => requestText('POST', contacts, { ...authorized(), ...headers, 'Content-Length': '9999999' })],
  ]
  const authorized = () => ({ Authorization: `Bearer ${installation.client.token}` })

  describe.each(answered)('of an answer %s', (status, request) => {
    test('is that of the client, where that is safe', async () => {
      for (const sent of ['job-17', 'a'.repeat(128), 'A.b_c:d/e@f+g=h~i']) {
        const answer = await one(request({ 'X-Request-Id': sent }))
        expect([answer.status, answer.headers['x-request-id']]).toEqual([Number(status), sent])
        if (status !== '200') expect(isUuid(String(answer.error.requestId))).toBe(true)
      }
    })

    test('is in the envelope too, where it is a UUID', async () => {
      const { headers, error } = await one(request({ 'X-Request-Id': uuid }))
      expect(headers['x-request-id']).toBe(uuid)
      if (status !== '200') expect(error.requestId).toBe(uuid.toLowerCase())
    })

    test('is new, where the client sent none or one that is not safe', async () => {
      const sent = [{}, ...['two words', '"quoted"', 'a'.repeat(129), 'é', ''].map(id => ({ 'X-Request-Id': id }))]
      const ids = new Set<unknown>()
      for (const header of sent) {
        const { headers, error } = await one(request(header))
        const id = headers['x-request-id']
        expect(isUuid(String(id))).toBe(true)
        if (status !== '200') expect(error.requestId).toBe(id)
        ids.add(id)
      }
      expect(ids.size).toBe(sent.length)
    })
  })

  describe.each([
    ['/livez', 200],
    ['/readyz', 200],
    ['/metrics', 200],
    ['/openapi.json', 200],
    ['/api/v1/openapi.json', 304],
    ['/reference', 200],
    ['/reference/scalar.js', 200],
    ['/nowhere', 404],
  ])('of an answer beside the API, %s %i', (path, status) => {
    const get = async (headers: Record<string, string>) => {
      const answer = await fetch(`${url}${path}`, {
        headers: { ...(status === 304 ? { 'if-none-match': '*' } : {}), ...headers },
      })
      await answer.arrayBuffer()
      expect(answer.status).toBe(status)
      return answer.headers.get('x-request-id')
    }

    test('is that of the client, where that is safe, and a new one otherwise', async () => {
      expect(await get({ 'X-Request-Id': 'probe-17' })).toBe('probe-17')
      const [one, other] = [await get({}), await get({ 'X-Request-Id': 'two words' })]
      expect([isUuid(String(one)), isUuid(String(other)), one === other]).toEqual([true, true, false])
    })
  })

  test('of a refused /metrics is that of the envelope', async () => {
    const answer = await one(closing('GET', '/metrics', { 'X-Forwarded-For': '203.0.113.9' }))
    expectEnvelope(answer, 401, 'invalid_token')
    expect(answer.headers['x-request-id']).toBe(answer.error.requestId)
  })
})
