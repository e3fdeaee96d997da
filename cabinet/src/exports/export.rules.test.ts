import { expect, test } from 'vitest'
import { exportFiltersOf } from './export.rules.ts'

test('an export has the filters of the list that it knows, and names those that it would lose', () => {
  const filters = {
    ownerUuid: ['a'],
    tagIds: ['t', 'u'],
    stageUuid: ['s', 'r'],
    status: ['open'],
    createdFrom: ['2026-01-01T00:00:00Z'],
  }
  expect(exportFiltersOf('deals', { search: 'mill', filters, sort: 'title' })).toEqual({
    filters: { ownerUuid: 'a', tagIds: ['t', 'u'], createdFrom: '2026-01-01T00:00:00Z' },
    left: ['search', 'stageUuid', 'status'],
  })
  expect(exportFiltersOf('contacts', { search: '', filters: { stageUuid: ['s'] }, sort: '' })).toEqual({
    filters: {},
    left: ['stageUuid'],
  })
})
