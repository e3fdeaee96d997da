import { expect, test } from 'vitest'
import { isOfList, rowsKey } from './use-rows.ts'

test('only rows of the same organization and kind stand in for rows that are not read yet', () => {
  const key = [...rowsKey('a', 'deals'), 'sort=name']
  expect(isOfList(key, 'a', 'deals')).toBe(true)
  expect(isOfList(key, 'b', 'deals')).toBe(false)
  expect(isOfList(key, 'a', 'tasks')).toBe(false)
  expect(isOfList(undefined, 'a', 'deals')).toBe(false)
})
