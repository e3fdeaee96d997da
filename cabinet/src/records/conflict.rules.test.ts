import { expect, test } from 'vitest'
import { differences, resolved, type Side, undecided } from './conflict.rules.ts'

const saw = new Map([
  ['jobTitle', 'Buyer'],
  ['source', 'website'],
  ['lastName', 'Petrova'],
  ['firstName', 'Anna'],
])
const theirs = new Map([
  ['jobTitle', 'Purchasing lead'],
  ['source', 'trade fair'],
  ['lastName', 'Petrova'],
  ['firstName', 'Ann'],
])
const mine = new Map([
  ['jobTitle', 'Director'],
  ['source', 'website'],
  ['lastName', 'Smirnova'],
  ['firstName', 'Ann'],
])

const mineAlone = new Map<string, Side>([['jobTitle', 'mine']])

test('only a field that both sides changed to different values needs a decision', () => {
  const all = differences(saw, theirs, mine)
  expect(all.map(({ path, settled }) => [path, settled])).toEqual([
    ['jobTitle', undefined],
    ['source', 'theirs'],
    ['lastName', 'mine'],
    ['firstName', 'theirs'],
  ])
  expect(undecided(all, new Map()).map(({ path }) => path)).toEqual(['jobTitle'])
  expect(undecided(all, mineAlone)).toEqual([])
})

test('what is sent again are the values to keep, and nothing that others wrote', () => {
  const all = differences(saw, theirs, mine)
  expect(resolved(all, mineAlone)).toEqual(
    new Map([
      ['jobTitle', 'Director'],
      ['lastName', 'Smirnova'],
    ]),
  )
  expect(resolved(all, new Map())).toEqual(new Map([['lastName', 'Smirnova']]))
})

test('a field that the editor did not touch is as the editor saw it', () => {
  const all = differences(saw, theirs, new Map([['lastName', 'Smirnova']]))
  expect(all.map(({ path, settled }) => [path, settled])).toEqual([
    ['jobTitle', 'theirs'],
    ['source', 'theirs'],
    ['lastName', 'mine'],
    ['firstName', 'theirs'],
  ])
})
