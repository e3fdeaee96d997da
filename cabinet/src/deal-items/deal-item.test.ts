import { expect, test } from 'vitest'
import { bodyOfItem, missingFields, newItem, placeAfterMove } from './deal-item.ts'

test('a new line needs a name and a price', () => {
  expect(missingFields(newItem)).toEqual(['name', 'price'])
  expect(missingFields(new Map([...newItem, ['name', ' '], ['price', '1']]))).toEqual(['name'])
  expect(missingFields(new Map([...newItem, ['name', 'Shelf'], ['price', '0']]))).toEqual([])
})

test('a discount or a tax rate that was taken away is zero, another value null', () => {
  const values = new Map([
    ['discount', null],
    ['taxRate', null],
    ['sku', null],
    ['price', '2.50'],
  ] as const)
  expect(bodyOfItem(values)).toEqual({ discount: '0', taxRate: '0', sku: null, price: '2.50' })
})

test.for([
  ['a', 1, 1],
  ['b', -1, 0],
  ['b', 1, undefined],
  ['a', -1, undefined],
] as const)('line %s moves by %i to place %s', ([id, by, place]) => {
  expect(placeAfterMove([{ id: 'a' }, { id: 'b' }], id, by)).toBe(place)
})
