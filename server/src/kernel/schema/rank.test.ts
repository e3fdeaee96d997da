import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rankBetween, ranksBetween } from './rank.ts'

/** A random function that can be repeated. */
function chance(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const always = (number: number) => () => number
const longest = (ranks: readonly string[]) => Math.max(...ranks.map(({ length }) => length))

describe('rankBetween', () => {
  it('lies strictly between its neighbours, by bytes, wherever records are put', () => {
    const places = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
      minLength: 1,
      maxLength: 120,
    })
    fc.assert(
      fc.property(places, fc.nat(), (wanted, seed) => {
        const random = chance(seed)
        const ranks: string[] = []
        for (const place of wanted) {
          const at = Math.floor(place * (ranks.length + 1))
          const lower = ranks[at - 1] ?? null
          const upper = ranks[at] ?? null
          const rank = rankBetween(lower, upper, random)
          expect(lower === null || Buffer.compare(Buffer.from(lower), Buffer.from(rank)) < 0).toBe(true)
          expect(upper === null || Buffer.compare(Buffer.from(rank), Buffer.from(upper)) < 0).toBe(true)
          ranks.splice(at, 0, rank)
        }
        expect(ranks.toSorted()).toEqual(ranks)
      }),
    )
  })

  it.each([0, 0.499, 0.5, 0.999_999])('lies strictly between also when chance always says %d', number => {
    let [lower, upper] = [rankBetween(null, null, always(number)), rankBetween(null, null, always(number))]
    upper = rankBetween(lower, null, always(number))
    for (let turn = 0; turn < 50; turn += 1) {
      const rank = rankBetween(lower, upper, always(number))
      expect(lower < rank && rank < upper).toBe(true)
      if (turn % 2 === 0) lower = rank
      else upper = rank
    }
  })

  it.each([
    [null, null, 'a0', 'a1'],
    ['a0', null, 'a1', 'a2'],
    [null, 'a0', 'Zy', 'Zz'],
    ['a0', 'a1', 'a0', 'a1'],
  ])(
    'from %j to %j lies between %j and %j: towards an open end it is a count further',
    (lower, upper, after, before) => {
      const ranks = [0, 0.9].map(number => rankBetween(lower, upper, always(number)))
      for (const rank of ranks) expect(after < rank && rank < before).toBe(true)
      expect(new Set(ranks).size).toBe(2)
    },
  )

  it('asks chance sixteen times', () => {
    let asked = 0
    rankBetween(null, null, () => {
      asked += 1
      return 0.5
    })
    expect(asked).toBe(16)
  })

  it('stays short when ten thousand records are put on top, one after the other', () => {
    const random = chance(7)
    const ranks = [rankBetween(null, null, random)]
    while (ranks.length < 10_000) ranks.push(rankBetween(null, ranks.at(-1) ?? null, random))
    expect(longest(ranks)).toBeLessThanOrEqual(12)
    expect(ranks.toSorted().toReversed()).toEqual(ranks)
  })

  it('stays short when ten thousand records are put at the end', () => {
    const random = chance(11)
    const ranks = [rankBetween(null, null, random)]
    while (ranks.length < 10_000) ranks.push(rankBetween(ranks.at(-1) ?? null, null, random))
    expect(longest(ranks)).toBeLessThanOrEqual(12)
    expect(ranks.toSorted()).toEqual(ranks)
  })

  it('differs for records that are put at one place at the same moment', () => {
    const random = chance(3)
    const top = rankBetween(null, null, random)
    const ranks = Array.from({ length: 100 }, () => rankBetween(null, top, random))
    expect(new Set(ranks).size).toBeGreaterThan(97)
    for (const rank of ranks) expect(rank < top).toBe(true)
  })

  it('throws between equal keys, where nothing lies', () => {
    const rank = rankBetween(null, null, always(0.5))
    expect(() => rankBetween(rank, rank, chance(5))).toThrow('>=')
  })
})

describe('ranksBetween', () => {
  // The database gives such a rank to a row that is inserted without one.
  const given = `z${'0'.repeat(10)}1767225600000000${'0af1'.repeat(8)}1`

  it.each([
    [null, null],
    ['e00001', null],
    [null, 'e00001'],
    ['e00001', 'e00002'],
    ['e00001', given],
    [given, null],
  ])('ascends strictly from %j to %j, by bytes', (lower, upper) => {
    const ranks = ranksBetween(lower, upper, 1000)
    const all = [lower ?? '', ...ranks, upper ?? '\u007f']
    expect(ranks).toHaveLength(1000)
    expect(all.toSorted()).toEqual(all)
    expect(new Set(all).size).toBe(1002)
    expect(ranksBetween(lower, upper, 0)).toEqual([])
  })
})
