import { expect, test } from 'vitest'
import { countAbsent, OldRows } from './live-rows.rules.ts'

test('a row that changes out of sight is read again when it comes into sight, once', () => {
  const old = new OldRows()
  old.see(['a', 'b'])
  old.add('b')
  old.add('z')
  expect(old.take(100)).toEqual(['b'])
  expect(old.isAnyInSight).toBe(false)
  old.see(['y', 'z'])
  expect(old.isAnyInSight).toBe(true)
  expect(old.take(100)).toEqual(['z'])
  old.see(['a', 'b'])
  old.see(['y', 'z'])
  expect(old.take(100)).toEqual([])
})

test('a row that leaves the sight before its turn has it when it is back', () => {
  const old = new OldRows()
  old.see(['a', 'b'])
  old.add('a')
  old.add('b')
  expect(old.take(1)).toEqual(['a'])
  old.see(['z'])
  expect(old.take(100)).toEqual([])
  old.see(['b'])
  expect(old.take(100)).toEqual(['b'])
})

test('a list of which more than 10,000 rows have changed out of sight is read anew', () => {
  const old = new OldRows()
  const kept = Array.from({ length: 10_001 }, (_, index) => old.add(String(index)))
  expect(kept.indexOf(false)).toBe(10_000)
  old.clear()
  old.see(['1'])
  expect(old.take(100)).toEqual([])
})

test('records that came into being are counted with one look at each, however many rows there are', () => {
  const here = new Set(['a', 'b'])
  let looks = 0
  const watched = Object.assign(new Set(here), {
    has(id: string) {
      looks += 1
      return here.has(id)
    },
  })
  expect(countAbsent(['a', 'x', 'y'], watched)).toBe(2)
  expect(looks).toBe(3)
})
