import {
  type Configuration,
  fitsCurrency,
  type JsonObject,
  minorUnitsOf,
  type Refusal,
  violates,
} from '../../kernel/schema/index.ts'
import type { DealState } from './deal-state.ts'

/** Amount and currency of a deal go together and fit each other; nothing is rounded silently. */
export function settleMoney<State extends DealState>(
  next: State,
  previous: State | null,
  input: JsonObject,
  { organization }: Configuration,
): State | Refusal {
  if (next.amount !== null && next.currency === null && input.currency === null) {
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
