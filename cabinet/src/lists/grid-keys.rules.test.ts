import { expect, test } from 'vitest'
import { actionOf, type GridShape, rowOf } from './grid-keys.rules.ts'

const shape: GridShape = { rows: 100, columns: 6, page: 20, isEditable: false, hasLetters: true }
const at = { row: 10, column: 2 }

test.for([
  ['j', { row: 11, column: 2 }],
  ['k', { row: 9, column: 2 }],
  ['ArrowRight', { row: 10, column: 3 }],
  ['PageDown', { row: 30, column: 2 }],
  ['Home', { row: 10, column: 0 }],
] as const)('%s goes through the list', ([key, to]) => {
  expect(actionOf(pressed(key), at, shape)).toEqual({ do: 'go', to })
})

test('no key leads out of the list', () => {
  expect(actionOf(pressed('ArrowDown'), { row: 99, column: 5 }, shape)).toEqual({
    do: 'go',
    to: { row: 99, column: 5 },
  })
  expect(actionOf(pressed('PageUp'), { row: 3, column: 0 }, shape)).toEqual({ do: 'go', to: { row: 0, column: 0 } })
  expect(actionOf({ ...pressed('End'), ctrlKey: true }, at, shape)).toEqual({ do: 'go', to: { row: 99, column: 5 } })
})

test('Enter opens a record, or edits a cell that can be edited', () => {
  expect(actionOf(pressed('Enter'), at, shape)).toEqual({ do: 'open' })
  expect(actionOf(pressed('Enter'), at, { ...shape, isEditable: true })).toEqual({ do: 'edit-cell' })
})

test('letters are keys only where people have not switched them off, and alone', () => {
  expect(actionOf(pressed('x'), at, shape)).toEqual({ do: 'select' })
  expect(actionOf(pressed('x'), at, { ...shape, hasLetters: false })).toBeUndefined()
  expect(actionOf({ ...pressed('x'), ctrlKey: true }, at, shape)).toBeUndefined()
})

test('letters that are the second one of a sequence such as g o are left to the page', () => {
  for (const letter of ['c', 'o', 'd', 't', 's']) expect(actionOf(pressed(letter), at, shape)).toBeUndefined()
})

test('f completes what the row shows', () => {
  expect(actionOf(pressed('f'), at, shape)).toEqual({ do: 'complete' })
})

test('a place stays with its record when rows above it go, and where it was when its record goes', () => {
  const rows = ['a', 'b', 'c', 'd'].map(id => ({ id }))
  const place = { row: 2, column: 1, id: 'c' }
  expect(rowOf(place, rows)).toBe(2)
  expect(rowOf(place, rows.slice(1))).toBe(1)
  expect(rowOf(place, [{ id: 'z' }, ...rows])).toBe(3)
  expect(rowOf(place, [{ id: 'a' }, { id: 'b' }, { id: 'd' }])).toBe(2)
  expect(rowOf(place, [{ id: 'a' }])).toBe(0)
  expect(rowOf({ row: 0, column: 0, id: undefined }, [])).toBe(0)
})

function pressed(key: string) {
  return { key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
}
