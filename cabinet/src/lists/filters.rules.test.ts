import { afterEach, expect, test, vi } from 'vitest'
import { kindFacts } from '../records/kinds.ts'
import { dayOf, narrows, queryOf, selectionOf, startOfDay, withFilter } from './filters.rules.ts'

const { orders } = kindFacts.deals
afterEach(() => vi.unstubAllEnvs())

test('an address and what the list shows say the same', () => {
  const query = new URLSearchParams('search=lamp&status=open&status=won&customField.region=north&sort=-amount')
  const selection = selectionOf('deals', orders, query)
  expect(selection).toEqual({
    search: 'lamp',
    filters: { status: ['open', 'won'], 'customField.region': ['north'] },
    sort: '-amount',
  })
  expect(queryOf(selection).toString()).toBe(query.toString())
  expect(narrows(selection)).toBe(true)
})

test('what the list does not know, and what it would refuse, is left out', () => {
  const many = Array.from({ length: 30 }, (_, index) => `status=${index}`).join('&')
  const query = new URLSearchParams(
    `${many}&createdFrom=a&createdFrom=b&unknown=1&sort=nothing&email=a@b.example&ownerUuid=`,
  )
  const { filters, sort } = selectionOf('deals', orders, query)
  expect(Object.keys(filters)).toEqual(['status', 'createdFrom'])
  expect([filters.status?.length, filters.createdFrom, sort]).toEqual([20, ['a'], ''])
})

test('a filter without values is taken away', () => {
  expect(withFilter({ status: ['open'], priority: ['low'] }, 'status', [])).toEqual({ priority: ['low'] })
  expect(withFilter({}, 'status', ['won'])).toEqual({ status: ['won'] })
})

test.for(['Asia/Tokyo', 'UTC', 'America/Los_Angeles'])('the day of a filter stays the same in %s', zone => {
  vi.stubEnv('TZ', zone)
  expect(dayOf(startOfDay('2026-03-01'))).toBe('2026-03-01')
  expect([dayOf(''), dayOf('soon'), startOfDay('soon')]).toEqual(['', '', 'soon'])
})
