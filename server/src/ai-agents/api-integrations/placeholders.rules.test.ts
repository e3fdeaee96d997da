import { describe, expect, it } from 'vitest'
import { fillPlaceholders, hostOf, placeholdersIn, urlTemplate, wrongUrl } from './placeholders.rules.ts'

describe('placeholders', () => {
  it('are names in braces; other texts in braces are not', () => {
    const long = 'a'.repeat(64)
    expect([...placeholdersIn(`{a} {B_c.d-9} {a} {9} {} { a } {${long}} {${long}a} a}{`)]).toEqual([
      'a',
      'B_c.d-9',
      long,
    ])
    expect(placeholdersIn('none')).toEqual(new Set())
  })

  it('are filled where they stand, each of them', () => {
    expect(fillPlaceholders('a{b}/{c}{b}', (name, offset) => `<${name}${offset}>`)).toBe('a<b1>/<c5><b8>')
  })
})

describe('an address', () => {
  it.each([
    ['https://a.example', { origin: 'https://a.example', path: '', query: '' }],
    ['https://a.example?', { origin: 'https://a.example', path: '', query: '' }],
    ['HTTPS://a.example:8443/b/{c}?d={e}&f?', { origin: 'HTTPS://a.example:8443', path: '/b/{c}', query: 'd={e}&f?' }],
  ])('%s has an origin, a path and a query', (url, parts) => {
    expect(urlTemplate(url)).toEqual(parts)
    expect(wrongUrl(url)).toBeNull()
  })

  it.each([
    ['http://a.example/', 'An address that starts with https:// is expected'],
    ['xhttps://a.example/', 'An address that starts with https:// is expected'],
    ['https://a.example/b c', 'An address has no spaces, control characters or backslashes'],
    ['https://a.example/\u0000', 'An address has no spaces, control characters or backslashes'],
    ['https://a.example\\b', 'An address has no spaces, control characters or backslashes'],
    ['https://a.example/#b', 'An address that is called has no fragment'],
    ['https://', 'An address with a host is expected'],
    ['https:///b', 'An address with a host is expected'],
    ['https://{a}.example/', 'A parameter stands in the path or the query: the host is always the same'],
    ['https://user:pass@a.example/', 'User name and password do not stand in the address: see auth'],
    ['https://a.example/{b', 'Braces stand around the name of a parameter: [A-Za-z_][A-Za-z0-9_.-]{0,63}'],
    ['https://a.example/b}', 'Braces stand around the name of a parameter: [A-Za-z_][A-Za-z0-9_.-]{0,63}'],
    ['https://a.example:99999/', 'A valid address is expected'],
  ])('%j is refused: %s', (url, message) => {
    expect(wrongUrl(url)).toBe(message)
  })

  it('has a host that is the same however it is written', () => {
    const hosts = ['https://A.Example:443/b?c', 'https://a.example', 'https://a.example:8443/'].map(hostOf)
    expect(hosts).toEqual(['a.example', 'a.example', 'a.example:8443'])
  })
})
