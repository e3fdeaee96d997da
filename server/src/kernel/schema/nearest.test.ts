import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDistance, nearestWord } from './nearest.ts'

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['contacts', 'contacts', 0],
    ['contcats', 'contacts', 1],
    ['contact', 'contacts', 1],
    ['kitten', 'sitting', 3],
    ['ca', 'abc', 3],
  ])('of %j and %j is %i', (one, other, distance) => {
    expect(editDistance(one, other, 10)).toBe(distance)
    expect(editDistance(other, one, 10)).toBe(distance)
  })

  it('is at most one more than the bound', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(5), (one, other, most) => {
        expect(editDistance(one, other, most)).toBe(Math.min(editDistance(one, other, 100), most + 1))
      }),
    )
  })
})

describe('nearestWord', () => {
  const known = ['firstName', 'lastName', 'limit', 'ownerUuid', 'id']

  it.each([
    ['firstname', 'firstName'],
    ['first_name', 'firstName'],
    ['fristName', 'firstName'],
    ['LastNam', 'lastName'],
    ['limits', 'limit'],
    ['owner_uid', 'ownerUuid'],
    ['ID', 'id'],
    ['surname', null],
    ['ix', null],
    ['', null],
    ['x'.repeat(1_000_000), null],
  ])('for %.20s is %s', (word, nearest) => {
    expect(nearestWord(word, known)).toBe(nearest)
  })
})
