import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ItemLine } from './item-fields.ts'
import { isOverdiscounted, sumsOf } from './item-line.rules.ts'

function aLine(members: Partial<ItemLine> = {}): ItemLine {
  return {
    quantity: '3',
    price: '0.335',
    discountType: 'percent',
    discount: '0',
    taxMode: 'none',
    taxRate: '0',
    ...members,
  }
}

describe('the sums of an item', () => {
  it('round 3 × 0.335 up to 1.01, and to 1 without digits', () => {
    expect(sumsOf(aLine(), 2)).toEqual({ subtotal: '1.01', discountAmount: '0.00', taxAmount: '0.00', total: '1.01' })
    expect(sumsOf(aLine(), 0)).toEqual({ subtotal: '1', discountAmount: '0', taxAmount: '0', total: '1' })
    expect(sumsOf(aLine(), 3).subtotal).toBe('1.005')
  })

  it('take 10 percent of the rounded subtotal', () => {
    expect(sumsOf(aLine({ discount: '10' }), 2)).toMatchObject({ discountAmount: '0.10', total: '0.91' })
  })

  it('add an exclusive tax of 20 percent to the discounted subtotal', () => {
    const line = aLine({ discount: '10', taxMode: 'exclusive', taxRate: '20' })
    expect(sumsOf(line, 2)).toMatchObject({ taxAmount: '0.18', total: '1.09' })
  })

  it('find an inclusive tax of 20 percent in the discounted subtotal', () => {
    const line = aLine({ discount: '10', taxMode: 'inclusive', taxRate: '20' })
    expect(sumsOf(line, 2)).toMatchObject({ taxAmount: '0.15', total: '0.91' })
  })

  it('take an amount once for the line, rounded like every sum', () => {
    const line = aLine({ quantity: '2', price: '10', discountType: 'amount', discount: '5.005' })
    expect(sumsOf(line, 2)).toMatchObject({ subtotal: '20.00', discountAmount: '5.01', total: '14.99' })
  })

  it('have no tax without a mode of it, whatever the rate', () => {
    expect(sumsOf(aLine({ taxRate: '20' }), 2)).toMatchObject({ taxAmount: '0.00', total: '1.01' })
  })

  it('are exact where floating point is not', () => {
    expect(sumsOf(aLine({ quantity: '1', price: '1.005' }), 2).subtotal).toBe('1.01')
    expect(sumsOf(aLine({ quantity: '1', price: '8.325' }), 2).subtotal).toBe('8.33')
    const most = aLine({ quantity: '999999999.999999', price: '999999999999999.999999' })
    expect(sumsOf(most, 2).subtotal).toBe('999999999999998999999000.00')
  })
})

describe('a discount of an amount', () => {
  it.each([
    ['1.01', false],
    ['1.011', true],
    ['1.02', true],
  ])('of %s is higher than a subtotal of 1.01: %s', (discount, higher) => {
    const line = aLine({ discountType: 'amount', discount })
    expect(isOverdiscounted(line, sumsOf(line, 2))).toBe(higher)
  })

  it('differs from a discount in percent', () => {
    const line = aLine({ discount: '100' })
    expect([isOverdiscounted(line, sumsOf(line, 2)), sumsOf(line, 2).total]).toEqual([false, '0.00'])
  })
})

/** A decimal string of this many millionths. */
const inMillionths = (least: bigint, most: bigint) =>
  fc.bigInt({ min: least, max: most }).map(millionths => ({ millionths, text: textOf(millionths, 6) }))

function textOf(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** The quotient rounded half up to an integer. */
function divided(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor)
}

it('equal sums in integers of the minor unit, for every line', () => {
  const quantity = inMillionths(1n, 999_999_999_999_999n)
  const price = inMillionths(0n, 10n ** 21n - 1n)
  const discount = inMillionths(0n, 100_000_000n)
  const tenThousandths = fc.bigInt({ min: 0n, max: 1_000_000n })
  const taxMode = fc.constantFrom('none', 'exclusive', 'inclusive')
  const minorUnit = fc.constantFrom(0, 2, 3, 4)
  fc.assert(
    fc.property(quantity, price, discount, tenThousandths, taxMode, minorUnit, (...drawn) => {
      const [count, unit, percent, rate, mode, digits] = drawn
      const line = { quantity: count.text, price: unit.text, discount: percent.text, discountType: 'percent' } as const
      const sums = sumsOf({ ...line, taxMode: mode, taxRate: textOf(rate, 4) }, digits)

      const subtotal = divided(count.millionths * unit.millionths * 10n ** BigInt(digits), 10n ** 12n)
      const discountAmount = divided(subtotal * percent.millionths, 100_000_000n)
      const net = subtotal - discountAmount
      const taxes = {
        none: 0n,
        exclusive: divided(net * rate, 1_000_000n),
        inclusive: divided(net * rate, 1_000_000n + rate),
      }
      const total = mode === 'exclusive' ? net + taxes.exclusive : net
      expect(sums).toEqual({
        subtotal: textOf(subtotal, digits),
        discountAmount: textOf(discountAmount, digits),
        taxAmount: textOf(taxes[mode], digits),
        total: textOf(total, digits),
      })
    }),
    { numRuns: 500 },
  )
})
