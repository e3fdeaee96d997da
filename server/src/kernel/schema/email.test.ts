import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEmail } from './email.ts'

describe('isEmail', () => {
  it.each([
    'anna.petrova@example.com',
    "o'brien+chairs_{2}@example.co.uk",
    'a@localhost',
    'Anna@MÜNCHEN.Example',
    'a@192.0.2.1',
    'анна@почта.рф',
    'josé@münchen.example',
    '用户@例子.广告',
    'نامه\u200cرسان@مثال.ایران',
    'a@xn--mnchen-3ya.de',
    'a@❤.example',
    '"anna petrova"@example.com',
    '"a@b"@example.com',
    '"a\\"b\\\\"@example.com',
    '"john..doe"@localhost',
    `${'a'.repeat(64)}@example.com`,
    `${'!'.repeat(64)}@example.com`,
    `${'я'.repeat(32)}@example.com`,
  ])('takes %j', text => {
    expect(isEmail(text)).toBe(true)
  })

  it.each([
    '',
    'anna',
    'anna@',
    '@example.com',
    'a b@example.com',
    'a@b@example.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    'a@.example.com',
    'a@example.com.',
    'a@exa mple.com',
    'a@example..com',
    'a@-example.com',
    'a@example-.com',
    'a@exa_mple.com',
    'a@"example".com',
    'a\u0000@example.com',
    'a\u0085@example.com',
    'a@example\u3000.com',
    '\u200b@example.com',
    'a@\u200b',
    '"a@example.com',
    '"a"b"@example.com',
    '"a\\"@example.com',
    '"a\nb"@example.com',
    'Anna <anna@example.com>',
    'a@example.com, b@example.com',
    `${'a'.repeat(65)}@example.com`,
    `${'!'.repeat(65)}@example.com`,
    `${'я'.repeat(33)}@example.com`,
    `"${'a'.repeat(63)}"@example.com`,
  ])('refuses %j', text => {
    expect(isEmail(text)).toBe(false)
  })

  it('takes every address that RFC 5322 allows and mail programs write', () => {
    const addresses = fc.emailAddress().filter(address => address.indexOf('@') <= 64)
    fc.assert(fc.property(addresses, isEmail))
  })
})
