import { Decimal, minorUnitsOf } from '../../kernel/schema/index.ts'
import type { Figures, Priced } from './summary-fields.ts'

/** A share as a decimal string with four digits after the point, such as "0.6315"; null when the total is zero. */
export function share(part: number, whole: number): string | null {
  return whole === 0 ? null : new Decimal(part).div(whole).toFixed(4)
}

/** Days as a number with one digit after the point; null when the count is zero. */
export function averageDays(seconds: number, count: number): number | null {
  return count === 0 ? null : Math.round(seconds / count / 8640) / 10
}

/** How long won deals took, from their creation to the win. The median counts each deal in tenths of days. */
export function cycleOf(wins: Figures['wins']): { averageDays: number | null; medianDays: number | null } {
  const sorted = wins.toSorted((one, other) => one.tenths - other.tenths)
  const deals = sum(sorted, each => each.deals)
  const tenthsAt = (place: number) => {
    let passed = 0
    return sorted.find(each => (passed += each.deals) > place)?.tenths ?? 0
  }
  const seconds = sum(sorted, each => each.seconds)
  // The middle value, or the two beside the middle.
  const median = (tenthsAt(Math.floor((deals - 1) / 2)) + tenthsAt(Math.floor(deals / 2))) / 20
  return { averageDays: averageDays(seconds, deals), medianDays: deals === 0 ? null : median }
}

/** The exact sum of amounts of one currency. */
export function amountOf(figures: readonly Priced[], currency: string): Decimal {
  const amounts = figures.filter(each => each.currency === currency).map(({ amount }) => amount ?? '0')
  return amounts.reduce((total, amount) => total.plus(amount), new Decimal(0))
}

/** The currencies in which deals have an amount, in the order of their codes. */
export function currenciesOf(...figures: readonly (readonly Priced[])[]): string[] {
  const currencies = figures
    .flat()
    .flatMap(({ currency, amount }) => (currency === null || amount === null ? [] : [currency]))
  return [...new Set(currencies)].toSorted()
}

/** A sum as answers show it; null where the token may not read amounts. */
export function shown(amount: Decimal, currency: string, mayReadAmounts: boolean): string | null {
  return mayReadAmounts ? amount.toFixed(minorUnitsOf(currency)) : null
}

/** A sum for each currency in which the deals have an amount. */
export function moneyOf(figures: readonly Priced[], mayReadAmounts: boolean) {
  return currenciesOf(figures).map(currency => ({
    currency,
    amount: shown(amountOf(figures, currency), currency, mayReadAmounts),
  }))
}

/** The sum of a number over a list. */
export function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

/** Groups the items of a list by a key, in the order in which the keys first appear. */
export function groupedBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}
