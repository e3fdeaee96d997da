import { describe, expect, it } from 'vitest'
import { type Principal, rightsOf, type WebhookToken } from './rights.rules.ts'

const token = (id: string, more: Partial<WebhookToken> = {}): WebhookToken => ({
  id,
  scopes: [`crm_${id}_read`, 'crm_contacts_read'],
  expiresAt: null,
  isRevoked: false,
  rotatedFrom: null,
  hasNetworks: false,
  ...more,
})

const rights = (tokens: readonly WebhookToken[], more: Partial<Principal> = {}) => {
  const usual = {
    isApplicationEnabled: true,
    crmProvider: 'built_in',
    tokenId: null,
    scopes: [],
    despiteNetworks: false,
  }
  const found = rightsOf({ ...usual, tokens, ...more }, 1000)
  return 'reason' in found ? found.reason : [...found.scopes]
}

describe('the rights of a webhook', () => {
  it('are those of one token, never of several together', () => {
    expect(rights([token('a')])).toEqual(['crm_a_read', 'crm_contacts_read'])
    expect(rights([token('a'), token('b')])).toBe('several_tokens')
    expect(rights([token('a'), token('b')], { tokenId: 'b' })).toEqual(['crm_b_read', 'crm_contacts_read'])
    expect(rights([token('a', { isRevoked: true }), token('b')])).toEqual(['crm_b_read', 'crm_contacts_read'])
  })

  it('are no more than its own scopes', () => {
    expect(rights([token('a')], { scopes: ['crm_contacts_read', 'crm_deals_read'] })).toEqual(['crm_contacts_read'])
  })

  it('go over to the successor of a rotated token, also where that token was removed', () => {
    const next = token('b', { rotatedFrom: 'a' })
    expect(rights([token('a'), next])).toEqual(['crm_a_read', 'crm_contacts_read'])
    expect(rights([token('a', { expiresAt: 1000 }), next], { tokenId: 'a' })).toEqual([
      'crm_b_read',
      'crm_contacts_read',
    ])
    expect(rights([next, token('c')], { tokenId: 'a' })).toEqual(['crm_b_read', 'crm_contacts_read'])
  })

  it.each([
    ['token_removed', [], {}],
    ['token_removed', [token('a')], { tokenId: 'gone' }],
    ['token_expired', [token('a', { expiresAt: 1000 })], {}],
    ['token_revoked', [token('a', { isRevoked: true })], {}],
    ['token_networks', [token('a', { hasNetworks: true })], {}],
    ['application_disabled', [token('a')], { isApplicationEnabled: false }],
    ['crm_provider', [token('a')], { crmProvider: 'external' }],
  ])('end: %s', (reason, tokens, more) => {
    expect(rights(tokens, more)).toBe(reason)
  })

  it('use a token with networks only if the webhook says so', () => {
    expect(rights([token('a', { hasNetworks: true })], { despiteNetworks: true })).toHaveLength(2)
  })
})
