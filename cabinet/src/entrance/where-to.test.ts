import { describe, expect, it } from 'vitest'
import { searchOfSignIn } from './where-to.ts'

describe('where a person goes on after the sign-in', () => {
  it.each([
    ['/o/1/contacts?search=anna', '/o/1/contacts?search=anna'],
    ['/cabinet/o/1/contacts', '/o/1/contacts'],
    ['/account', '/account'],
  ])('is a page of the cabinet: %s', (to, path) => {
    expect(searchOfSignIn({ to })).toEqual({ to: path })
  })

  it.each([
    'https://elsewhere.example/o/1',
    '//elsewhere.example/o/1',
    '/\\elsewhere.example/o/1',
    'javascript:alert(1)',
    '/o/../sign-in',
    '/api/session',
    7,
    undefined,
  ])('is nowhere else: %s', to => {
    expect(searchOfSignIn({ to })).toStrictEqual({ to: undefined })
  })
})
