import {
  type Configuration,
  currencyOf,
  formatPrice,
  type Issue,
  type JsonObject,
  minimalDecimal,
  minorUnitsOf,
  type Refusal,
  violates,
} from '../../kernel/schema/index.ts'
import type { ItemState } from './item-fields.ts'
import { isOverdiscounted, sumsOf } from './item-line.rules.ts'

/** The deal of an item. */
type Deal = Readonly<Record<string, unknown>>

interface Write {
  readonly configuration: Configuration
}

interface Context {
  readonly previous: ItemState | null
  readonly parent: Deal | null
  readonly write: Write
}

// For members that may be absent: a percentage, explicit or default, and a discount that exceeds it.
const tooHigh = {
  patternProperties: {
    '^discountType$': { type: 'string', const: 'percent' },
    '^discount$': { type: 'string', not: { pattern: '^((0|[1-9]\\d?)(\\.\\d+)?|100(\\.0+)?)$' } },
  },
}
const withoutDiscount = { propertyNames: { type: 'string', not: { type: 'string', const: 'discount' } } }

/**
 * Rules for items of deals beyond those of their fields (contract section 6.7). Refusals show no sums, because a token
 * that may write amounts may not always read them.
 */
export const itemRules = {
  forbids: 'The discount would be higher than the subtotal, or than 100 percent.',

  inspectCreate: ({ discountType = 'percent', discount }: JsonObject): Issue[] => overHundred(discountType, discount),

  inspectPatch: ({ discountType, discount }: JsonObject): Issue[] => overHundred(discountType, discount),

  documented: {
    create: { dependentSchemas: { discount: { not: tooHigh } } },
    patch: { dependentSchemas: { discountType: { not: { ...tooHigh, not: withoutDiscount } } } },
  },

  settle(next: ItemState, { previous, parent, write }: Context): ItemState | Refusal {
    const [issue] = overHundred(next.discountType, next.discount)
    if (issue !== undefined) return violates(issue.path, issue.rule, issue.message)
    const currency = currencyOf(parent ?? {}, write.configuration.organization)
    const priced = pricedIn(currency, next)
    if (!isOverdiscounted(priced, priced)) return priced
    if (next !== previous) return violates('/discount', 'range', 'The discount is higher than the subtotal')
    const message = `In ${currency} the discount of an item would be higher than its subtotal`
    return violates('/currency', 'item_discount', message, { itemId: next.id })
  },

  /** Sums have the digits of the currency of the deal. */
  settledBy: (deal: Deal, { organization }: Configuration) => minorUnitsOf(currencyOf(deal, organization)),
}

/** The item with its sums in a currency. The price keeps all its digits. */
function pricedIn(currency: string, item: ItemState): ItemState {
  const { discountType } = item
  const discount = discountType === 'amount' ? formatPrice(item.discount, currency) : minimalDecimal(item.discount)
  return { ...item, ...sumsOf(item, minorUnitsOf(currency)), price: formatPrice(item.price, currency), discount }
}

function overHundred(discountType: unknown, discount: unknown): Issue[] {
  if (discountType !== 'percent' || typeof discount !== 'string' || Number(discount) <= 100) return []
  return [{ path: '/discount', rule: 'range', message: 'A discount in percent is 100 at most' }]
}
