import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDistance } from '../../../kernel/schema/index.ts'
import { meantWords } from './meant-words.ts'

const row = (asked: string, word: string, how: string, place = 0) => ({ place, asked, word, how, passages: 3 })
const likenessOf = (...rows: ReturnType<typeof row>[]) =>
  Object.fromEntries(meantWords(rows).map(({ word, likeness }) => [word, likeness]))

describe('a word of a base', () => {
  it('that is the searched one matches for sure, and comes with its place and its passages', () => {
    expect(meantWords([row('tea', 'tea', 'same', 2)])).toEqual([{ place: 2, word: 'tea', passages: 3, likeness: 1 }])
  })

  it('that contains the searched one matches better the larger its share is, and better at an end than inside', () => {
    const {
      lieferzeiten = 0,
      lieferzeitenübersicht = 0,
      mindestlieferzeit = 0,
      sonderlieferzeiten = 0,
    } = likenessOf(
      row('lieferzeit', 'lieferzeiten', 'longer'),
      row('lieferzeit', 'lieferzeitenübersicht', 'longer'),
      row('lieferzeit', 'mindestlieferzeit', 'longer'),
      row('lieferzeit', 'sonderlieferzeiten', 'longer'),
    )
    expect([lieferzeiten, lieferzeitenübersicht, mindestlieferzeit, sonderlieferzeiten].every(one => one > 0)).toBe(
      true,
    )
    expect(lieferzeiten).toBeGreaterThan(lieferzeitenübersicht)
    expect(mindestlieferzeit).toBeGreaterThan(sonderlieferzeiten)
  })

  it('that is a part of the searched one matches better the longer it is', () => {
    const { lieferzeit = 0, zeit = 0 } = likenessOf(
      row('lieferzeitraum', 'lieferzeit', 'part'),
      row('lieferzeitraum', 'zeit', 'part'),
    )
    expect(lieferzeit).toBeGreaterThan(zeit)
    expect(zeit).toBeGreaterThan(0)
  })

  it('with one mistake matches, less where the searched word itself is there, and a short word with two mistakes does not', () => {
    const mistaken = row('refund', 'refnud', 'similar')
    const { refnud: alone = 0 } = likenessOf(mistaken)
    const { refnud: besides = 0 } = likenessOf(mistaken, row('refund', 'refund', 'same'))
    expect([alone > besides, besides > 0]).toEqual([true, true])
    expect(likenessOf(row('refund', 'rafond', 'similar')).rafond).toBe(alone)
    expect(likenessOf(row('month', 'mouse', 'similar'))).toEqual({})
  })

  it('with the same beginning matches a little, and one that only looks alike does not', () => {
    const { delivery = 0 } = likenessOf(row('deliveries', 'delivery', 'similar'))
    expect(delivery).toBeGreaterThan(0)
    expect(likenessOf(row('station', 'nations', 'similar'))).toEqual({})
  })

  it('that is a number differs when one digit differs', () => {
    expect(likenessOf(row('tp1001', 'tp1002', 'similar'), row('24.9', '24.5', 'similar'))).toEqual({})
  })

  it('counts once for each place, by its best match', () => {
    const found = meantWords([
      row('teapot', 'teapots', 'similar'),
      row('teapot', 'teapots', 'longer'),
      row('tea', 'teapots', 'longer', 1),
    ])
    expect(found.map(({ place }) => place)).toEqual([0, 1])
    expect(found[0]?.likeness).toBe(0.8)
  })
})

describe('the distance of two words', () => {
  it.each([
    ['tea', 'tea', 2, 0],
    ['tea', 'teas', 2, 1],
    ['tea', 'eta', 2, 1],
    ['abcd', 'badc', 2, 2],
    ['kitten', 'sitting', 3, 3],
    ['kitten', 'sitting', 2, 3],
    ['a', 'abcd', 2, 3],
    ['', 'ab', 2, 2],
  ])('%j and %j, up to %i: %i', (one, other, most, distance) => {
    expect(editDistance(one, other, most)).toBe(distance)
    expect(editDistance(other, one, most)).toBe(distance)
  })

  it('is at most the number of the mistakes that were made', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
    const change = fc.record({
      at: fc.nat(8),
      drop: fc.nat(1),
      add: fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 1 }),
    })
    fc.assert(
      fc.property(letters, fc.array(change, { maxLength: 3 }), (word, changes) => {
        let changed = word
        for (const { at, drop, add } of changes) {
          const place = Math.min(at, changed.length)
          changed = `${changed.slice(0, place)}${add}${changed.slice(place + drop)}`
        }
        expect(editDistance(word, changed, 3)).toBeLessThanOrEqual(changes.length)
      }),
    )
  })
})
