import { expect, test } from 'vitest'
import { composed } from './composer.rules.ts'

test.for([
  ['Wants two lots', { type: 'note', body: 'Wants two lots' }],
  ['/call Wants two lots\nand dates', { type: 'call', body: 'Wants two lots\nand dates' }],
  ['/meeting', { type: 'meeting', body: '' }],
  ['/unknown word', { type: 'note', body: '/unknown word' }],
] as const)('%s', ([typed, result]) => {
  expect(composed(typed)).toEqual(result)
})
