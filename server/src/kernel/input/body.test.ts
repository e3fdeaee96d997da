import { describe, expect, it } from 'vitest'
import { isJsonType } from './index.ts'

describe('isJsonType', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;',
    'application/json ; ',
    'application/json;charset=utf-8',
    'application/json; charset=UTF8',
    'application/json ; charset="utf-8" ; ',
  ])('takes JSON in UTF-8: %s', type => {
    expect(isJsonType(type)).toBe(true)
  })

  it.each([
    '',
    'text/plain',
    'application/jsonp',
    'application/json charset=utf-8',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; charset=utf-8',
    'application/json; profile=a',
    'application/json;;',
    'application/json, application/json',
  ])('takes nothing else: "%s"', type => {
    expect(isJsonType(type)).toBe(false)
  })

  it('looks at each space of a long header once', () => {
    for (const begun of ['application/json', 'application/json;', 'application/json;charset=utf-8'])
      expect(isJsonType(`${begun}${' '.repeat(1_000_000)}x`)).toBe(false)
  })
})
