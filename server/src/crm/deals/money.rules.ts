import {
  type Configuration,
  fitsCurrency,
  type JsonObject,
  minorUnitsOf,
  type Refusal,
  violates,
} from '../../kernel/schema/index.ts'
import type { DealState } from './deal-fields.ts'

/**
 * Checks amount and currency of a deal: neither stands alone, and the amount has no more digits than the currency.
 * Nothing is rounded silently.
 */
export function settleMoney(
  next: DealState,
  previous: DealState | null,
  input: JsonObject,
  { organization }: Configuration,
): DealState | Refusal {
  if (next.amount !== null && input.currency === null) {
    return violates('/currency', 'required', 'An amount needs a currency: clear both or neither')
  }
  const currency = next.currency ?? (next.amount === null ? null : organization.defaultCurrency)
  if (currency !== null && currency !== previous?.currency && !organization.currencies.includes(currency)) {
    return violates('/currency', 'currency', `${currency} is not enabled: see organization.currencies of /capabilities`)
  }
  const changed = next.amount !== previous?.amount || currency !== previous?.currency
  if (changed && next.amount !== null && currency !== null && !fitsCurrency(next.amount, currency)) {
    return violates('/amount', 'decimal', `${currency} has ${minorUnitsOf(currency)} digits after the decimal point`)
  }
  return { ...next, currency }
}
