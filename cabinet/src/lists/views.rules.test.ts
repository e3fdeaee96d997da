import { expect, test } from 'vitest'
import { sameSelection, storedView, viewOf } from './views.rules.ts'

test('a view comes back as it was saved', () => {
  const view = {
    selection: { search: 'lamp', filters: { status: ['open'] }, sort: '-amount' },
    columns: ['title', 'amount', 'customFields.region'],
  }
  expect(viewOf('deals', storedView(view))).toEqual(view)
})

test('a filter with one value is saved as that value, because most take no list', () => {
  const selection = {
    search: 'lamp',
    filters: { createdFrom: ['2026-03-01T00:00:00.000Z'], status: ['open', 'won'] },
    sort: '',
  }
  expect(storedView({ selection, columns: [] })).toEqual({
    filters: { search: 'lamp', createdFrom: '2026-03-01T00:00:00.000Z', status: ['open', 'won'] },
  })
})

test('what this version does not know of a view is left out', () => {
  const stored = {
    filters: { status: 'open', unknown: ['1'], email: 3 },
    sort: 7,
    columns: ['title', 'unknown', 4, 'customFields'],
  }
  expect(viewOf('deals', stored)).toEqual({
    selection: { search: '', filters: { status: ['open'] }, sort: '' },
    columns: ['title'],
  })
  expect(viewOf('deals', 'nothing')).toEqual({ selection: { search: '', filters: {}, sort: '' }, columns: [] })
})

test('the order in which filters were chosen makes no other selection', () => {
  const one = { search: '', filters: { status: ['open', 'won'], priority: ['low'] }, sort: '' }
  const other = { search: '', filters: { priority: ['low'], status: ['won', 'open'] }, sort: '' }
  expect(sameSelection(one, other)).toBe(true)
  expect(sameSelection(one, { ...other, sort: 'title' })).toBe(false)
})
