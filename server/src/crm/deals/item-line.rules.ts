import { Decimal } from '../../kernel/schema/index.ts'
import type { ItemLine, ItemSums } from './item-fields.ts'

/**
 * The sums of one item (contract section 6.7): exact, and each rounded half up to the minor unit, so that items are
 * rounded first and added up afterwards. `digits` is how many digits after the point the currency has.
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

// The quotient has 20 digits. Half a minor unit is never closer to the exact value than that, unless it is the value:
// the divisor has seven digits at most. So rounding twice gives what rounding once would.
function taxOf(net: Decimal, { taxMode, taxRate }: ItemLine): Decimal {
  if (taxMode === 'none') return new Decimal(0)
  const taxed = net.times(taxRate)
  return taxMode === 'exclusive' ? taxed.div(100) : taxed.div(new Decimal(taxRate).plus(100))
}

/** Whether a discount of an amount is higher than what it is taken from. */
export function isOverdiscounted({ discountType, discount }: ItemLine, { subtotal }: ItemSums): boolean {
  return discountType === 'amount' && new Decimal(discount).gt(subtotal)
}
