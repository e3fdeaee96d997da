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

  settle(next: ItemState, { parent, write }: Context): ItemState | Refusal {
    const [issue] = overHundred(next.discountType, next.discount)
    if (issue !== undefined) return violates(issue.path, issue.rule, issue.message)
    const priced = pricedIn(currencyOf(parent ?? {}, write.configuration.organization), next)
    if (!isOverdiscounted(priced, priced)) return priced
    return violates('/discount', 'range', 'The discount is higher than the subtotal')
  },

  /** Items follow a change of the deal's currency if the new currency has another number of digits. */
  followed(deal: Deal, { currency }: JsonObject, { organization }: Configuration): number {
    if (currency === undefined) return 0
    const [before, after] = [deal, { currency }].map(each => minorUnitsOf(currencyOf(each, organization)))
    return before === after ? 0 : Number(deal.itemsCount)
  },

  follow(state: ItemState, deal: Deal, { configuration }: Write): ItemState | Refusal {
    const currency = currencyOf(deal, configuration.organization)
    const priced = pricedIn(currency, state)
    if (!isOverdiscounted(priced, priced)) return priced
    const message = `In ${currency} the discount of an item would be higher than its subtotal`
    return violates('/currency', 'item_discount', message, { itemId: state.id })
  },
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
