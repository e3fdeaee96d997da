import { describe, expect, it } from 'vitest'
import { priced } from '../../../../test/support/figures.ts'
import { Decimal } from '../../kernel/schema/index.ts'
import { amountOf, averageDays, currenciesOf, cycleOf, groupedBy, moneyOf, share, shown, sum } from './numbers.rules.ts'

describe('a share', () => {
  it.each([
    [12, 19, '0.6316'],
    [1, 3, '0.3333'],
    [0, 5, '0.0000'],
    [5, 5, '1.0000'],
    [3, 2, '1.5000'],
    [0, 0, null],
  ])('of %d in %d is %s', (part, whole, text) => {
    expect(share(part, whole)).toBe(text)
  })
})

const day = 86_400

describe('an average of days', () => {
  it.each([
    [day, 1, 1],
    [7 * day, 2, 3.5],
    [day, 3, 0.3],
    [0.05 * day, 1, 0.1],
    [0.04 * day, 1, 0],
    [0, 0, null],
  ])('of %d seconds in %d stays is %s', (seconds, count, days) => {
    expect(averageDays(seconds, count)).toBe(days)
  })
})

describe('the cycle of won deals', () => {
  /** Wins that took so many tenths of days, each of one deal unless it is said. */
  const cycle = (...wins: (readonly [tenths: number, deals?: number])[]) =>
    cycleOf(wins.map(([tenths, deals = 1]) => ({ tenths, deals, seconds: (deals * tenths * day) / 10 })))

  it('has a median in the middle, or between the two in the middle, in whatever order the wins come', () => {
    expect(cycle([70])).toEqual({ averageDays: 7, medianDays: 7 })
    expect(cycle([90], [10], [20])).toEqual({ averageDays: 4, medianDays: 2 })
    expect(cycle([100], [15], [20], [10])).toEqual({ averageDays: 3.6, medianDays: 1.75 })
  })

  it('counts each deal', () => {
    expect(cycle([10, 3], [100, 1], [200, 1])).toEqual({ averageDays: 6.6, medianDays: 1 })
    expect(cycle([10, 2], [30, 2])).toEqual({ averageDays: 2, medianDays: 2 })
    expect(cycle([10, 1], [30, 2])).toEqual({ averageDays: 2.3, medianDays: 3 })
  })

  it('is nothing without a won deal', () => {
    expect(cycle()).toEqual({ averageDays: null, medianDays: null })
  })
})

describe('amounts', () => {
  const deals = [
    ...[priced(1, '0.10', 'USD'), priced(2, '0.20', 'USD'), priced(1, '900', 'JPY'), priced(4)],
    ...[priced(3, null, 'CHF'), priced(1, null, null), { ...priced(1, '5', 'EUR'), currency: null }],
  ]

  it('are added exactly, those of one currency alone', () => {
    expect(amountOf(deals, 'USD').toString()).toBe('0.3')
    expect(amountOf(deals, 'JPY').toString()).toBe('900')
    expect(amountOf(deals, 'CHF').toString()).toBe('0')
  })

  it('have the currencies in which a deal has an amount, in the order of their codes', () => {
    expect(currenciesOf(deals, [priced(1, '1', 'EUR'), priced(1, '1', 'USD')])).toEqual(['EUR', 'JPY', 'USD'])
  })

  it('are shown with the digits of their currency, and not to a token that may not read them', () => {
    expect(moneyOf(deals, true)).toEqual([
      { currency: 'JPY', amount: '900' },
      { currency: 'USD', amount: '0.30' },
    ])
    expect(moneyOf(deals, false)).toEqual([
      { currency: 'JPY', amount: null },
      { currency: 'USD', amount: null },
    ])
    expect(shown(new Decimal('0.125'), 'USD', true)).toBe('0.13')
  })
})

describe('a list', () => {
  it('has a sum, which is zero when it is empty', () => {
    expect([sum([3, 4], each => 2 * each), sum([], Number)]).toEqual([14, 0])
  })

  it('is grouped in the order in which groups come up', () => {
    const groups = groupedBy(['pear', 'fig', 'plum', 'apple', 'fennel'], word => word[0])
    expect([...groups]).toEqual([
      ['p', ['pear', 'plum']],
      ['f', ['fig', 'fennel']],
      ['a', ['apple']],
    ])
  })
})
