import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hashSecret, newTokenText, parseToken } from './token-text.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('a token', () => {
  it.each(['live', 'test'] as const)('has the documented form: crm_%s_<id>_<secret>_<checksum>', environment => {
    for (let turn = 0; turn < 200; turn += 1) {
      const { tokenId, secret, text } = newTokenText(environment)
      expect(text).toMatch(new RegExp(`^crm_${environment}_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$`, 'u'))
      expect(parseToken(text)).toEqual({ environment, tokenId, secret })
    }
  })

  it('is another one each time', () => {
    const tokens = Array.from({ length: 1000 }, () => newTokenText('live'))
    expect(new Set(tokens.map(({ tokenId }) => tokenId)).size).toBe(1000)
    expect(new Set(tokens.map(({ secret }) => secret)).size).toBe(1000)
  })

  it('is recognised as wrong whichever single character is replaced by whichever other', () => {
    const { text } = newTokenText('live')
    const accepted: string[] = []
    for (const [at, right] of [...text].entries()) {
      for (const wrong of [...alphabet, '_', ' ', '-']) {
        const changed = text.slice(0, at) + wrong + text.slice(at + 1)
        if (wrong !== right && parseToken(changed) !== null) accepted.push(changed)
      }
    }
    expect(accepted).toEqual([])
  })

  it('is recognised as wrong with a character more or less, or two neighbours swapped', () => {
    const { text } = newTokenText('test')
    for (let at = 0; at < text.length; at += 1) {
      expect(parseToken(text.slice(0, at) + text.slice(at + 1))).toBeNull()
      expect(parseToken(`${text.slice(0, at)}a${text.slice(at)}`)).toBeNull()
      const swapped = text.slice(0, at) + (text[at + 1] ?? '') + (text[at] ?? '') + text.slice(at + 2)
      if (swapped !== text) expect(parseToken(swapped)).toBeNull()
    }
  })

  it.each(['', 'crm', 'crm_live___', 'Bearer x', 'crm_prod_000000000000_'.padEnd(80, '0')])('is not %j', text => {
    expect(parseToken(text)).toBeNull()
  })

  it('of another environment has another checksum', () => {
    const { text } = newTokenText('live')
    expect(parseToken(text.replace('crm_live_', 'crm_test_'))).toBeNull()
  })
})

describe('hashSecret', () => {
  it('is SHA-256, of which the secret cannot be read', () => {
    expect(hashSecret('secret')).toEqual(createHash('sha256').update('secret').digest())
  })
})
