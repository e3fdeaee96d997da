import { expect, test } from 'vitest'
import { changedValues, tidyValues } from './setting-values.ts'

test('lines are sent without spaces and empty ones, and an empty text is not sent', () => {
  const typed = { name: 'Shop', color: '', cidrs: [' 10.0.0.0/8 ', '', '192.0.2.1'], required: false }
  expect(tidyValues(typed)).toEqual({ name: 'Shop', cidrs: ['10.0.0.0/8', '192.0.2.1'], required: false })
})

test('a change names what differs, and an emptied text is null', () => {
  const before = { name: 'Loyal', color: '#00ff00', cidrs: ['10.0.0.0/8'] }
  expect(changedValues({ name: 'Loyal', color: '', cidrs: ['10.0.0.0/8', ''] }, before, 3)).toEqual({
    expectedVersion: 3,
    color: null,
  })
})
