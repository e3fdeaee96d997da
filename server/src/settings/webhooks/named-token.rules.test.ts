import { describe, expect, it } from 'vitest'
import { whyNoToken } from './named-token.rules.ts'

const now = '2026-03-01T00:00:00.000Z'
const before = '2026-02-28T23:59:59.999Z'
const after = '2026-03-01T00:00:00.001Z'
const token = (tokenId: string, members: object = {}) => ({
  tokenId,
  cidrs: [],
  expiresAt: null,
  revokedAt: null,
  rotatedFrom: null,
  ...members,
})
const why = (tokens: Parameters<typeof whyNoToken>[0], tokenId: string | null = null, despiteNetworks = false) =>
  whyNoToken(tokens, { tokenId, despiteNetworks }, now)

describe('a webhook that names no token', () => {
  it.each([
    ['the only one', [token('a')]],
    [
      'the only one that is valid',
      [token('a', { expiresAt: after }), token('b', { revokedAt: before }), token('c', { expiresAt: now })],
    ],
    ['the newest of a rotation', [token('a', { expiresAt: after }), token('b', { rotatedFrom: 'a' })]],
  ])('stands for %s', (_, tokens) => {
    expect(why(tokens)).toBeNull()
  })

  it.each([
    [[], 'the application has no valid token: create one first'],
    [[token('a', { revokedAt: before })], 'the application has no valid token: create one first'],
    [[token('a'), token('b')], 'the application has several valid tokens, name one: a, b'],
    [[token('a'), token('b', { rotatedFrom: 'z' })], 'the application has several valid tokens, name one: a, b'],
    [[token('a', { cidrs: ['10.0.0.0/8'] })], 'the token a is accepted from some networks only'],
  ])('is refused (%#)', (tokens, reason) => {
    expect(why(tokens)).toContain(reason)
  })
})

describe('a webhook that names a token', () => {
  const tokens = [
    token('a'),
    token('expired', { expiresAt: now }),
    token('revoked', { revokedAt: before }),
    token('limited', { cidrs: ['10.0.0.0/8'] }),
  ]

  it('stands for it while it is valid', () => {
    expect(why(tokens, 'a')).toBeNull()
  })

  it('stands for one that is accepted from some networks only if it is told to', () => {
    expect(why(tokens, 'limited')).toContain('the token limited is accepted from some networks only')
    expect(why(tokens, 'limited', true)).toBeNull()
  })

  it.each([
    ['expired', 'the token expired is not valid'],
    ['revoked', 'the token revoked is not valid'],
    ['other', 'the application has no token other'],
  ])('is refused for %s', (tokenId, reason) => {
    expect(why(tokens, tokenId)).toBe(reason)
  })
})
