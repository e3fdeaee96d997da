import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCursor, Secret, writeCursor } from '../index.ts'

const secret = new Secret('a secret of the tests, long enough')
const keys = fc.record({ createdAt: fc.string({ unit: 'grapheme' }), id: fc.uuid(), seq: fc.nat() })
const scopes = fc.record({
  entry: fc.constantFrom('api' as const, 'cabinet' as const),
  organizationId: fc.uuid(),
  route: fc.constantFrom('/contacts', '/deals'),
  filters: fc.record({ search: fc.string({ unit: 'grapheme' }), externalId: fc.string() }, { requiredKeys: [] }),
})
const ofContacts = { entry: 'api', organizationId: 'o', route: '/contacts' } as const

describe('a cursor', () => {
  it('gives back its position, to the same organization, route and filters', () => {
    fc.assert(
      fc.property(scopes, keys, (scope, key) => {
        const cursor = writeCursor(secret, scope, key)
        expect(cursor).toMatch(/^[\w-]+$/u)
        expect(readCursor(secret, scope, cursor)).toEqual(key)
      }),
    )
  })

  it('is invalid at another entry', () => {
    fc.assert(
      fc.property(scopes, keys, (scope, key) => {
        const other = scope.entry === 'api' ? 'cabinet' : 'api'
        expect(readCursor(secret, { ...scope, entry: other }, writeCursor(secret, scope, key))).toBeNull()
      }),
    )
  })

  it('is invalid for any other organization, route or filter, and under another secret', () => {
    fc.assert(
      fc.property(scopes, scopes, keys, (scope, other, key) => {
        fc.pre(
          JSON.stringify(Object.entries(scope.filters).sort()) !== JSON.stringify(Object.entries(other.filters).sort()),
        )
        const cursor = writeCursor(secret, scope, key)
        expect(readCursor(secret, { ...scope, organizationId: other.organizationId }, cursor)).toBeNull()
        expect(readCursor(secret, { ...scope, route: '/changes' }, cursor)).toBeNull()
        expect(readCursor(secret, { ...scope, filters: other.filters }, cursor)).toBeNull()
        expect(readCursor(new Secret('another secret of the tests'), scope, cursor)).toBeNull()
      }),
    )
  })

  it('does not depend on the order of the filters', () => {
    const scope = { ...ofContacts, filters: { search: 'a', externalId: 'b' } }
    const cursor = writeCursor(secret, scope, { id: '1' })
    expect(readCursor(secret, { ...scope, filters: { externalId: 'b', search: 'a' } }, cursor)).toEqual({ id: '1' })
  })

  it('goes on when the server is replaced by another release', () => {
    const scope = { ...ofContacts, filters: { search: 'a' } }
    const given =
      'yCmbqVXQuC3SWnz9Jz4LsXsidiI6MSwib3JnIjoibyIsInJvdXRlIjoiL2NvbnRhY3RzIiwiZmlsdGVycyI6Il9GWGFucUEzV1YtN2RoaHAiLCJrZXkiOnsiaWQiOiIxIn19'
    expect(readCursor(secret, scope, given)).toEqual({ id: '1' })
  })

  it('is invalid once any character of it is replaced, added or taken away', () => {
    const scope = { ...ofContacts, filters: {} }
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    // Ids of three lengths: the last character holds six, four or two bits of the cursor.
    for (const id of ['1', '12', '123']) {
      const cursor = writeCursor(secret, scope, { id })
      const accepted: string[] = []
      for (let at = 0; at <= cursor.length; at += 1) {
        for (const character of [...characters, '=', '+', ' ']) {
          const replaced = cursor.slice(0, at) + character + cursor.slice(at + 1)
          const added = cursor.slice(0, at) + character + cursor.slice(at)
          for (const text of [replaced, added]) {
            if (text !== cursor && readCursor(secret, scope, text) !== null) accepted.push(`${at}: ${text}`)
          }
        }
        const shorter = cursor.slice(0, at) + cursor.slice(at + 1)
        if (shorter !== cursor && readCursor(secret, scope, shorter) !== null) accepted.push(`${at}: ${shorter}`)
      }
      expect(accepted).toEqual([])
    }
  })

  it('is invalid when another version of the server has signed it, or without a position', () => {
    const scope = { ...ofContacts, filters: {} }
    const cursor = writeCursor(secret, scope, { id: '1' })
    const content = Buffer.from(cursor, 'base64url').subarray(16).toString()
    const signed = (text: string) => Buffer.concat([secret.sign(text), Buffer.from(text)]).toString('base64url')
    expect(signed(content)).toBe(cursor)
    for (const text of [content.replace('"v":1', '"v":2'), content.replace('{"id":"1"}', 'null'), 'null', '1']) {
      expect(readCursor(secret, scope, signed(text))).toBeNull()
    }
    expect([readCursor(secret, scope, ''), readCursor(secret, scope, `${cursor}=`)]).toEqual([null, null])
  })

  it('is no arbitrary text', () => {
    const scope = { ...ofContacts, filters: {} }
    fc.assert(fc.property(fc.oneof(fc.string(), fc.base64String()), text => readCursor(secret, scope, text) === null))
  })
})

describe('the hash of a removed key', () => {
  it('is the same for the same key alone, and does not show it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        expect(secret.goneKey(one)).toBe(secret.goneKey(one))
        expect(secret.goneKey(one) === secret.goneKey(other)).toBe(one === other)
        expect(secret.goneKey(one)).toMatch(/^[\w-]{43}$/u)
      }),
    )
  })

  it('depends on the secret of the installation', () => {
    expect(new Secret('another secret of the tests').goneKey('a')).not.toBe(secret.goneKey('a'))
  })
})
