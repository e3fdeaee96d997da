import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Keyring } from './index.ts'

const place = { organizationId: 'organization', kind: 'api_integration', recordId: 'record' }
const text = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'
const keyring = new Keyring('a secret of the installation')
const next = new Keyring('the secret after that')
const both = new Keyring('the secret after that', ['a secret of the installation'])

describe('Keyring', () => {
  it('decrypts its own secrets, of any length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), any => {
        const whole = any.toWellFormed()
        expect(keyring.decrypt(keyring.encrypt(whole, place), place)).toBe(whole)
      }),
    )
  })

  it('shows nothing of the secret, and never the same twice', () => {
    const [first, second] = [keyring.encrypt(text, place), keyring.encrypt(text, place)]
    expect(first).not.toBe(second)
    const [keyId, , ciphertext = ''] = first.split('.')
    expect(keyId).toBe(second.split('.')[0])
    expect(Buffer.from(ciphertext, 'base64url').includes(text)).toBe(false)
    expect(Buffer.from(ciphertext, 'base64url')).toHaveLength(text.length + 16)
  })

  it.each(['organizationId', 'kind', 'recordId'] as const)('does not decrypt at another place: %s', member => {
    expect(keyring.decrypt(keyring.encrypt(text, place), { ...place, [member]: 'another' })).toBeNull()
  })

  it('does not decrypt a secret that was altered anywhere', () => {
    const stored = keyring.encrypt(text, place)
    for (const [index, letter] of [...stored].entries()) {
      const other = letter === 'A' ? 'B' : 'A'
      const altered = `${stored.slice(0, index)}${other}${stored.slice(index + 1)}`
      // The last letter of a part may hold bits that are not used.
      const [, nonce = '', ciphertext = ''] = altered.split('.')
      const same = [nonce, ciphertext].every((part, at) =>
        Buffer.from(part, 'base64url').equals(Buffer.from(stored.split('.')[at + 1] ?? '', 'base64url')),
      )
      const sameKey = altered.split('.')[0] === stored.split('.')[0]
      expect(keyring.decrypt(altered, place), altered).toBe(same && sameKey ? text : null)
    }
  })

  it.each(['', '.', '..', 'x.y.z', keyring.currentPrefix, `${keyring.currentPrefix}AAAAAAAAAAAAAAAA.AAAA`])(
    'takes no other text for a secret: "%s"',
    stored => {
      expect(keyring.decrypt(stored, place)).toBeNull()
    },
  )

  it('decrypts with former keys, and encrypts with the current one', () => {
    const [old, recent] = [keyring.encrypt(text, place), both.encrypt(text, place)]
    expect(next.decrypt(old, place)).toBeNull()
    expect(both.decrypt(old, place)).toBe(text)
    expect(next.decrypt(recent, place)).toBe(text)
    expect(keyring.decrypt(recent, place)).toBeNull()
    expect(old.startsWith(keyring.currentPrefix)).toBe(true)
    expect(recent.startsWith(next.currentPrefix)).toBe(true)
  })
})
