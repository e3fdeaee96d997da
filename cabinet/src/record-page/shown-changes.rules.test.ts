import { expect, test } from 'vitest'
import { shownChanges } from './shown-changes.rules.ts'

test('a part is told once and without values, a member that follows from others not at all', () => {
  const changes = [
    { field: 'filesCount', before: 0, after: 2 },
    { field: 'files', before: null, after: { id: 'a' } },
    { field: 'files.createdByUuid', before: null, after: 'b' },
    { field: 'updatedAt', before: 'c', after: 'd' },
    { field: 'jobTitle', before: 'Buyer', after: 'Director' },
  ]
  expect(shownChanges(changes)).toEqual([{ field: 'files' }, { field: 'jobTitle', before: 'Buyer', after: 'Director' }])
})
