import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprint, isIdempotencyKey } from '../../server/src/kernel/idempotency/index.ts'
import { isObject } from '../../server/src/kernel/schema/index.ts'

const requests = fc.record({
  method: fc.constantFrom('POST', 'PATCH', 'DELETE'),
  route: fc.constantFrom('/contacts', '/contacts/{id}', '/deals/{id}/move'),
  path: fc.record({ id: fc.uuid() }, { requiredKeys: [] }),
  query: fc.record({ expectedVersion: fc.nat(), mode: fc.constantFrom('full', 'anonymize') }, { requiredKeys: [] }),
  body: fc.option(fc.jsonValue({ maxDepth: 4 }), { nil: undefined }),
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

const hex = (request: Parameters<typeof fingerprint>[0]) => fingerprint(request).toString('hex')

describe('the fingerprint of a request', () => {
  it('does not depend on the order of members, of parameters, or on spacing', () => {
    fc.assert(
      fc.property(requests, request => {
        const { query, body } = request
        const spaced = body === undefined ? undefined : JSON.parse(JSON.stringify(reversed(body), null, '\t'))
        const again = { ...request, query: Object.fromEntries(Object.entries(query).reverse()), body: spaced }
        expect(hex(again)).toBe(hex(request))
      }),
    )
  })

  it('differs when method, route, path, query or a value of the body differs', () => {
    fc.assert(
      fc.property(requests, request => {
        const others = [
          { ...request, method: 'PUT' },
          { ...request, route: '/companies' },
          { ...request, path: { id: 'another' } },
          { ...request, query: { ...request.query, confirmed: true } },
          { ...request, body: { wrapped: request.body ?? null } },
          { ...request, body: [request.body ?? null] },
        ]
        expect(new Set([request, ...others].map(hex)).size).toBe(7)
      }),
    )
  })

  it('distinguishes members of the query from members of the body', () => {
    const request = { method: 'DELETE', route: '/contacts/{id}', path: { id: '1' } }
    const inQuery = { ...request, query: { expectedVersion: 1 }, body: undefined }
    const inBody = { ...request, query: {}, body: { expectedVersion: 1 } }
    expect(hex(inQuery)).not.toBe(hex(inBody))
  })

  it('depends on the order of lists', () => {
    const request = { method: 'POST', route: '/contacts', path: {}, query: {} }
    expect(hex({ ...request, body: [1, 2] })).not.toBe(hex({ ...request, body: [2, 1] }))
  })

  it('is SHA-256', () => {
    expect(fingerprint({ method: 'POST', route: '/', path: {}, query: {}, body: null })).toHaveLength(32)
  })
})

describe('an Idempotency-Key', () => {
  it('is any text of 1 to 255 visible ASCII characters, and no other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 300 }), text => {
        const visible = [...text].every(character => character > ' ' && character <= '~')
        expect(isIdempotencyKey(text)).toBe(visible && text.length >= 1 && text.length <= 255)
      }),
    )
  })

  it.each(['é', 'a\n', '\ta', 'ключ', 'a\u00a0b'])('is not %j', text => {
    expect(isIdempotencyKey(text)).toBe(false)
  })
})
