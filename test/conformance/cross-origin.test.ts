import { describe, expect, it } from 'vitest'
import { useApi } from './support/given.ts'
import { aToken } from './support/tokens.ts'

const given = useApi()
const path = '/api/v1/crm/contacts'
const preflight = {
  method: 'OPTIONS',
  headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'PATCH' },
}
const allowed = ({ headers }: Response) => [
  headers.get('Access-Control-Allow-Origin'),
  headers.get('Access-Control-Allow-Credentials'),
]

describe('a page of another origin', () => {
  it('may read every answer of the API, with its headers and without credentials', async () => {
    const token = await aToken(given, await given.shared())
    const answer = await fetch(given.api.url + path, { headers: { Authorization: `Bearer ${token}` } })
    expect([answer.status, ...allowed(answer)]).toEqual([200, '*', null])
    const exposed = answer.headers.get('Access-Control-Expose-Headers')?.split(', ')
    expect(exposed).toEqual(
      expect.arrayContaining([
        'X-Request-Id',
        'Retry-After',
        'Idempotent-Replayed',
        'RateLimit-Remaining',
        'Deprecation',
      ]),
    )
  })

  it.each([
    ['401', path, {}, 401],
    ['404', '/api/v1/crm/nothing', {}, 404],
    ['404 for what the document does not take', '/openapi.json?', { method: 'POST' }, 404],
    ['404 for a method', path, { method: 'OPTIONS' }, 404],
    ['401 before the body was read', path, { method: 'POST', body: 'x'.repeat(200_000) }, 401],
  ])('may read a refusal: %s', async (_, address, request, status) => {
    const answer = await fetch(given.api.url + address, request)
    expect([answer.status, ...allowed(answer)]).toEqual([status, '*', null])
  })

  it.each([path, '/api/v1/external/channels', '/api/v1/crm/nothing'])(
    'is answered before it calls %s',
    async address => {
      const answer = await fetch(given.api.url + address, preflight)
      expect([answer.status, ...allowed(answer), await answer.text()]).toEqual([204, '*', null, ''])
      expect(answer.headers.get('Access-Control-Allow-Methods')).toContain('PATCH')
      const names = answer.headers.get('Access-Control-Allow-Headers')?.split(', ')
      expect(names).toEqual(expect.arrayContaining(['Authorization', 'Idempotency-Key', 'Content-Type', 'traceparent']))
      expect(answer.headers.get('X-Request-Id')).not.toBeNull()
    },
  )

  it.each(['/files/none', '/metrics', '/api/v10/crm/contacts', '/openapi.jsonp', '/reference', '/'])(
    'may not read %s',
    async address => {
      const answers = await Promise.all([fetch(given.api.url + address), fetch(given.api.url + address, preflight)])
      for (const answer of answers) expect([answer.status === 204, ...allowed(answer)]).toEqual([false, null, null])
    },
  )
})

describe('a server without CORS', () => {
  const closed = useApi({ crossOrigin: false })

  it('lets no page read its answers, and answers no preflight', async () => {
    for (const request of [{}, preflight]) {
      const answer = await fetch(closed.api.url + path, request)
      expect([answer.status === 204, ...allowed(answer)]).toEqual([false, null, null])
    }
  })
})
