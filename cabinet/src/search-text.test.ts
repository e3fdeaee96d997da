import { describe, expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './search-text.ts'

describe('the parameters of an address', () => {
  it.each([
    ['?status=open&status=won&search=anna', { status: ['open', 'won'], search: 'anna' }],
    ['?search=12&flag=true', { search: '12', flag: 'true' }],
    ['?search=%22a%26b', { search: '"a&b' }],
    ['', {}],
  ])('are texts, and lists where they repeat: %s', (text, search) => {
    expect(parseSearch(text)).toEqual(search)
    expect(stringifySearch(search)).toBe(text)
  })

  it('leave out what is undefined', () => {
    expect(stringifySearch({ search: undefined, sort: 'name' })).toBe('?sort=name')
  })
})
