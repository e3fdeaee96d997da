import { expect, it } from 'vitest'
import { withScheme } from '../rows/read-value.ts'
import { isNullWord } from './null-words.ts'

it('a web address without a scheme gets https, and other texts stay', () => {
  const given = {
    'example.com/about': 'https://example.com/about',
    'www.example.co.uk': 'https://www.example.co.uk',
    'example.com:8080/x?y#z': 'https://example.com:8080/x?y#z',
    '//example.com': 'https://example.com',
    'пример.рф': 'https://пример.рф',
  }
  expect(Object.keys(given).map(withScheme)).toEqual(Object.values(given))
  const others = ['http://example.com', 'ftp://example.com', 'a@example.com', 'N/A', 'localhost', '1.5', 'a.com, b.com']
  expect(others.map(withScheme)).toEqual(others)
})

it('only the words that databases write are missing values', () => {
  expect(['NULL', ' NULL ', '\\N'].map(isNullWord)).toEqual([true, true, true])
  expect(['Null', 'null', '\\n', 'N/A', '#N/A', 'NULLS', '', `NULL${' '.repeat(99)}`].map(isNullWord)).toEqual(
    Array(8).fill(false),
  )
})
