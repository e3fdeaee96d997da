import { describe, expect, it } from 'vitest'
import { isHeaderValue, isSameHeader, wrongHeaderName } from './headers.ts'

describe('the name of a header', () => {
  it.each(['Accept', 'X-Api_Key', 'a1', "!#$%&'*+.^_`|~-"])('can be %j', name => {
    expect(wrongHeaderName(name)).toBeNull()
  })

  it.each(['', 'a b', 'a:', ' a', 'a ', 'ä', 'a\n', '(a)'])('cannot be %j', name => {
    expect(wrongHeaderName(name)).toBe('A header is named with letters, digits and -')
  })

  // What RFC 9110 and 9112 leave to the connection, and what follows from the address and the body.
  it.each([
    ...['Connection', 'Content-Length', 'Expect', 'Host', 'HTTP2-Settings', 'Keep-Alive', 'Proxy-Authenticate'],
    ...['Proxy-Authorization', 'Proxy-Connection', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'],
  ])('cannot be %s, which the server makes', name => {
    expect(wrongHeaderName(name)).toBe(`The header ${name} is made by the server`)
  })

  it('is the same in whatever case', () => {
    expect([isSameHeader('X-KEY', 'x-Key'), isSameHeader('X-Key', 'X-Keys')]).toEqual([true, false])
  })
})

describe('the value of a header', () => {
  it.each(['', 'a', '!', '~', 'a b', 'a\tb', 'a  b c'])('can be %j', value => {
    expect(isHeaderValue(value)).toBe(true)
  })

  it.each([' ', ' a', 'a ', '\ta', 'a\t', 'a\nb', 'a\r\nB: c', 'a\u0000', 'ä', 'a\u007f'])('cannot be %j', value => {
    expect(isHeaderValue(value)).toBe(false)
  })
})
