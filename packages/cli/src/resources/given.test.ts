import { expect, test } from 'vitest'
import type { DeclaredOption } from './declared.ts'
import { given, integerIn, integerOrNothing } from './given.ts'

const option = (name: string, kind: DeclaredOption['kind'], place: DeclaredOption['in'], nullable?: true) => ({
  name,
  flag: name,
  in: place,
  kind,
  description: '',
  ...(nullable && { nullable }),
})

const options = [
  option('search', 'text', 'query'),
  option('customField', 'pairs', 'query'),
  option('title', 'text', 'body'),
  option('note', 'text', 'body', true),
  option('isDone', 'boolean', 'body'),
]

test('options go into the query and the body, and an empty text takes a value away where that is possible', () => {
  expect(given(options, { search: 'a', title: '', note: '', isDone: 'false', other: 'x' })).toEqual({
    query: { search: 'a' },
    body: { title: '', note: null, isDone: false },
  })
})

test('pairs are members of one object, and need a key', () => {
  expect(given(options, { customField: ['region=north=1', 'size='] }).query).toEqual({
    customField: { region: 'north=1', size: '' },
  })
  expect(() => given(options, { customField: ['region'] })).toThrow('key=value')
  expect(() => given(options, { customField: ['a=1', 'a=2'] })).toThrow('twice')
})

test.each(['', '1.5', 'x', '1e3', '9'.repeat(16)])('%j is no whole number', text => {
  expect(() => integerIn('--limit')(text)).toThrow('--limit takes a whole number')
})

test('a number that can be taken away is taken away by an empty text', () => {
  expect([integerOrNothing('--n')(''), integerOrNothing('--n')('-7')]).toEqual(['', -7])
})
