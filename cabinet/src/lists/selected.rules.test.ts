import { expect, test } from 'vitest'
import { targetsOf, withoutRecords, withRecords } from './selected.rules.ts'

const records = ['a', 'b', 'c'].map((id, index) => ({ id, version: index + 1 }))

test('all records of a filter without one row are all the others, also those that no row shows', () => {
  const all = withRecords(new Map(), records)
  const selected = withoutRecords(all, ['b'])
  expect(targetsOf(selected, records.slice(0, 2))).toEqual([
    { id: 'a', expectedVersion: 1 },
    { id: 'c', expectedVersion: 3 },
  ])
  expect(all.size).toBe(3)
})

test('a target has the version that its row shows by now', () => {
  expect(targetsOf(withRecords(new Map(), records), [{ id: 'c', version: 9 }]).at(-1)).toEqual({
    id: 'c',
    expectedVersion: 9,
  })
})
