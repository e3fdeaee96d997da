import { describe, expect, it } from 'vitest'
import { notUtf8, parseQuery, type QueryDeclaration } from './query.ts'

const lower = (text: string) => (/^[a-z]+$/u.test(text) ? text : undefined)
const names = { form: /^own\.[a-z]+$/u, most: 2, example: 'own.a', component: 'Own' }
const declaration: QueryDeclaration = {
  one: { schema: {}, description: 'A word', parse: lower },
  several: { schema: {}, description: 'Words', most: 2, parse: lower },
  'own.<name>': { schema: {}, description: 'Own words', most: 2, names, parse: lower },
}

const issuesOf = (raw: Readonly<Record<string, unknown>>) =>
  parseQuery(declaration, raw).issues.map(({ path, rule }) => [path, rule])

describe('parseQuery', () => {
  it('gives a list of the different values of a parameter that may be repeated', () => {
    expect(parseQuery(declaration, { several: 'a' }).values).toEqual({ several: ['a'] })
    expect(parseQuery(declaration, { several: ['b', 'b'], 'own.x': 'c' }).values).toEqual({
      several: ['b'],
      'own.x': ['c'],
    })
  })

  it('refuses a repeated parameter that takes one value, and more values than are taken', () => {
    expect(issuesOf({ one: ['a', 'b'] })).toEqual([['query:one', 'single']])
    expect(issuesOf({ several: ['a', 'b', 'c'] })).toEqual([['query:several', 'most']])
  })

  it('refuses one wrong value among several', () => {
    expect(issuesOf({ several: ['a', 'B'] })).toEqual([['query:several', 'format']])
    expect(issuesOf({ several: ['a', notUtf8] })).toEqual([['query:several', 'format']])
    expect(issuesOf({ several: 'a\0' })).toEqual([['query:several', 'format']])
  })

  it('takes parameters whose names have a form, a limited number of them, and not the form itself', () => {
    expect(issuesOf({ 'own.a': 'a', 'own.b': 'b', 'own.c': 'c' })).toEqual([['query:own.c', 'most']])
    expect(issuesOf({ 'own.<name>': 'a', 'own.A': 'a' })).toEqual([
      ['query:own.<name>', 'unknown_parameter'],
      ['query:own.A', 'unknown_parameter'],
    ])
  })
})
