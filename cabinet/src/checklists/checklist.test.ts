import { expect, test } from 'vitest'
import { orderAfterMove } from './checklist.ts'

test.for([
  ['b', -1, ['b', 'a', 'c']],
  ['b', 1, ['a', 'c', 'b']],
  ['a', -1, undefined],
  ['c', 1, undefined],
  ['unknown', 1, undefined],
] as const)('%s moves by %i: %j', ([id, by, order]) => {
  expect(orderAfterMove(['a', 'b', 'c'], id, by)).toEqual(order)
})
