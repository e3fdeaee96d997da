import { Decimal } from '../../kernel/schema/index.ts'
import type { ItemLine, ItemSums } from './item-fields.ts'

/**
 * The sums of one item (contract section 6.7). They are computed exactly and each rounded half up to the minor unit, so
 * that sums of a deal add up rounded items. `digits` is the number of digits after the point in the currency.
 */
export function sumsOf(line: ItemLine, digits: number): ItemSums {
  const rounded = (value: Decimal) => value.round(digits, Decimal.roundHalfUp)
  const subtotal = rounded(new Decimal(line.quantity).times(line.price))
  const discount = new Decimal(line.discount)
  const discountAmount = rounded(line.discountType === 'percent' ? subtotal.times(discount).div(100) : discount)
  const net = subtotal.minus(discountAmount)
  const taxAmount = rounded(taxOf(net, line))
  const total = line.taxMode === 'exclusive' ? net.plus(taxAmount) : net
  const shown = (value: Decimal) => value.toFixed(digits)
  return {
    subtotal: shown(subtotal),
    discountAmount: shown(discountAmount),
    taxAmount: shown(taxAmount),
    total: shown(total),
  }
}

// The quotient is rounded to 20 digits here, and to the minor unit later. The divisor has at most seven digits, so the
// exact value is half a minor unit, or differs from it by more than the first rounding can change. So rounding twice
// gives the same as rounding once.
function taxOf(net: Decimal, { taxMode, taxRate }: ItemLine): Decimal {
  if (taxMode === 'none') return new Decimal(0)
  const taxed = net.times(taxRate)
  return taxMode === 'exclusive' ? taxed.div(100) : taxed.div(new Decimal(taxRate).plus(100))
}

/** Whether a discount in money is higher than the price that it is taken from. */
export function isOverdiscounted({ discountType, discount }: ItemLine, { subtotal }: ItemSums): boolean {
  return discountType === 'amount' && new Decimal(discount).gt(subtotal)
}
