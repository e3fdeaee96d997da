import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isUuid } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { useApi } from './support/given.ts'
import { aRequest, named, send, withQuery } from './support/requests.ts'
import { oneOfEachShape } from './support/shapes.ts'

const given = useApi()
const ofThisRequest = new Set(['date', 'x-request-id', 'ratelimit-remaining', 'connection', 'keep-alive'])

describe.each(named(operations))('%s', (_, operation) => {
  it('answers its status in the envelope of its part of the API, the standing headers and the rate headers', async () => {
    const organization = await given.organization({ rates: 100 })
    const answer = await send(organization.client, await aRequest(operation, organization))
    expect(operation.success).toContain(answer.status)
    const { success, hasMeta } = operation.conventions.envelope
    expect(Object.keys(answer.body)).toEqual([...Object.keys(success), 'data', ...(hasMeta ? ['meta'] : [])])
    expect(answer.body).toMatchObject(success)
    const header = (name: string) => answer.headers.get(name)
    expect(header('content-type')).toBe('application/json; charset=utf-8')
    expect(header('cache-control')).toBe('no-store')
    expect(header('vary')).toBe('Authorization')
    expect(header('ratelimit-limit')).toBe('100')
    expect(Number(header('ratelimit-remaining'))).toBeGreaterThanOrEqual(95)
    expect(header('ratelimit-reset')).toBe('30')
    expect(isUuid(header('x-request-id') ?? '')).toBe(true)
    expect(header('access-control-allow-origin')).toBe('*')
    for (const name of ['retry-after', 'idempotent-replayed', 'www-authenticate', 'access-control-allow-credentials'])
      expect(header(name)).toBeNull()
  })
})

describe.each(named(oneOfEachShape(operations)))('%s', (_, operation) => {
  it('echoes the request id of the client', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const id = `order/42:${randomUUID()}~@+=._-`
    const answer = await send(organization.client, request, { headers: { 'x-request-id': id } })
    expect(answer.headers.get('x-request-id')).toBe(id)
  })
})

const reads = operations.filter(({ method }) => method === 'GET')

describe.each(named(oneOfEachShape(reads)))('HEAD for %s', (_, operation) => {
  it('refuses like GET', async () => {
    const organization = await given.shared()
    const request = withQuery(await aRequest(operation, organization), 'colour=red')
    const head = await send(organization.client, { ...request, method: 'HEAD' })
    expect(head.status).toBe(400)
    expect(head.body).toEqual({})
  })
})

describe.each(named(reads))('HEAD for %s', (_, operation) => {
  it('answers what GET answers, without the body, at the cost of a read', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const whole = await send(organization.client, request)
    const head = await send(organization.client, { ...request, method: 'HEAD' })
    expect(head.status).toBe(whole.status)
    expect(head.body).toEqual({})
    const [before, after] = [whole, head].map(({ headers }) => Number(headers.get('ratelimit-remaining')))
    expect(after).toBe(Number(before) - 1)
    const comparable = (headers: Headers) => [...headers].filter(([name]) => !ofThisRequest.has(name))
    expect(comparable(head.headers)).toEqual(comparable(whole.headers))
  })
})

describe('X-Request-Id', () => {
  const errorOf = async (sent: string) => {
    const { client } = await given.shared()
    const { headers, error } = await client.get('/contacts?colour=red', { headers: { 'x-request-id': sent } })
    return { echoed: headers.get('x-request-id'), requestId: String(error.requestId) }
  }

  it('that is a UUID is the requestId of the error envelope too', async () => {
    const id = randomUUID()
    expect(await errorOf(id)).toEqual({ echoed: id, requestId: id })
  })

  it('that is a UUID in capitals is echoed as it was sent, and a lower-case requestId', async () => {
    const id = randomUUID().toUpperCase()
    expect(await errorOf(id)).toEqual({ echoed: id, requestId: id.toLowerCase() })
  })

  it('that is no UUID is echoed, and the requestId of the error is a UUID of the server', async () => {
    const { echoed, requestId } = await errorOf('job-17')
    expect(echoed).toBe('job-17')
    expect(isUuid(requestId)).toBe(true)
  })

  it('of 128 characters is echoed', async () => {
    expect((await errorOf('r'.repeat(128))).echoed).toBe('r'.repeat(128))
  })

  it.each(['r'.repeat(129), 'two words', 'semi;colon', '<script>', 'quo"te', 'ä'])(
    'that is not safe is replaced by a UUID of the server, without an error: %s',
    async unsafe => {
      const { echoed, requestId } = await errorOf(unsafe)
      expect(isUuid(echoed ?? '')).toBe(true)
      expect(requestId).toBe(echoed)
    },
  )

  it('is a new UUID for every request that brings none', async () => {
    const { client } = await given.organization()
    const answers = await Promise.all([1, 2, 3].map(() => client.get('/contacts')))
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(3)
  })
})
