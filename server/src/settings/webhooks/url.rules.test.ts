import { describe, expect, it } from 'vitest'
import { isSameReceiver, wrongReceiver } from './url.rules.ts'

describe('the address of a receiver', () => {
  it.each([
    'https://hooks.example',
    'HTTPS://Hooks.Example:8443/a?key=%20b',
    'http://10.0.0.7/crm',
    'https://[2001:db8::1]/',
    'https://müller.example/ü',
  ])('can be %s', url => {
    expect(wrongReceiver(url)).toBeNull()
  })

  it.each([
    ['', 'an address that begins with https:// is expected'],
    ['hooks.example', 'an address that begins with https:// is expected'],
    ['ftp://hooks.example', 'an address that begins with https:// is expected'],
    ['https://hooks.example/a b', 'an address has no spaces, control characters or backslashes'],
    ['https://hooks.example\\@other.example', 'an address has no spaces, control characters or backslashes'],
    ['https://hooks.example/\u0085', 'an address has no spaces, control characters or backslashes'],
    ['https://', '"https://" is no valid address'],
    ['https://hooks.example:99999/', '"https://hooks.example:99999/" is no valid address'],
    ['https://ann:pass@hooks.example/', 'user name and password do not stand in an address: send a header'],
    ['https://ann@hooks.example/', 'user name and password do not stand in an address: send a header'],
    ['https://hooks.example/#a', 'an address that is called has no fragment'],
    [`https://hooks.example/${'a'.repeat(2048)}`, 'an address takes at most 2048 characters'],
  ])('cannot be %s', (url, reason) => {
    expect(wrongReceiver(url)).toBe(reason)
  })
})

describe('two addresses', () => {
  const one = 'https://hooks.example/a?b'

  it.each(['https://hooks.example/', 'https://HOOKS.example:443/c', 'HTTPS://hooks.example/a?c'])(
    'have the same receiver as %s',
    other => expect(isSameReceiver(one, other)).toBe(true),
  )

  it.each(['http://hooks.example/a?b', 'https://hooks.example:444/a?b', 'https://a.hooks.example/a?b'])(
    'have another receiver than %s',
    other => expect(isSameReceiver(one, other)).toBe(false),
  )
})
