import { expect, test } from 'vitest'
import { searchOfSignIn } from '../entrance/where-to.ts'
import { signInAddress } from './leave-for-sign-in.ts'

test('the sign-in leads back to the page whose session has ended', () => {
  const address = signInAddress({ pathname: '/cabinet/o/1/contacts', search: '?q=a%26b&sort=name' })
  const { pathname, searchParams } = new URL(address, 'http://cabinet.invalid')
  expect(pathname).toBe('/cabinet/sign-in')
  expect(searchOfSignIn(Object.fromEntries(searchParams))).toEqual({ to: '/o/1/contacts?q=a%26b&sort=name' })
})
