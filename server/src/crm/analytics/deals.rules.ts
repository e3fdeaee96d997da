import type { Configuration } from '../../kernel/schema/index.ts'
import { amountOf, currenciesOf, groupedBy, moneyOf, share, shown, sum } from './numbers.rules.ts'
import type { Figures } from './summary-fields.ts'

/** The figures of deals that stand in stages of type open at the end of the period. */
function standingOpen({ standing }: Figures, { stages }: Configuration): Figures['standing'] {
  return standing.filter(({ stage }) => stages.get(stage)?.type === 'open')
}

/** How many deals were created, won and lost in the period, and are open at its end. */
export function countsOf(figures: Figures, configuration: Configuration) {
  const { won, lost } = closedOf(figures.closed)
  return {
    created: sum(figures.standing, each => each.created),
    won: sum(won, each => each.deals),
    lost: sum(lost, each => each.deals),
    open: sum(standingOpen(figures, configuration), each => each.deals),
  }
}

/** Sums in each currency that the open, won and lost deals have amounts in. Currencies are never added to each other. */
export function totalsOf(figures: Figures, configuration: Configuration, mayReadAmounts: boolean) {
  const open = standingOpen(figures, configuration)
  const { won, lost } = closedOf(figures.closed)
  return currenciesOf(open, won, lost).map(currency => {
    const wonAmount = amountOf(won, currency)
    const wonDeals = sum(
      won.filter(each => each.currency === currency),
      each => each.priced,
    )
    const show = (amount: typeof wonAmount) => shown(amount, currency, mayReadAmounts)
    return {
      currency,
      open: show(amountOf(open, currency)),
      won: show(wonAmount),
      lost: show(amountOf(lost, currency)),
      averageWon: wonDeals === 0 ? null : show(wonAmount.div(wonDeals)),
    }
  })
}

/** Won and lost deals of some period, and the share of the won ones. */
export function winRateOf(won: number, lost: number) {
  return { won, lost, rate: share(won, won + lost) }
}

/** Why deals were lost, the most frequent reason first; the reason is null where none was given. */
export function lostReasonsOf(figures: Figures, { lostReasons }: Configuration, mayReadAmounts: boolean) {
  const byReason = groupedBy(closedOf(figures.closed).lost, ({ reason }) => reason)
  const entries = [...byReason].map(([reason, lost]) => ({
    lostReasonCategoryUuid: reason,
    name: reason === null ? null : (lostReasons.get(reason)?.name ?? null),
    deals: sum(lost, each => each.deals),
    money: moneyOf(lost, mayReadAmounts),
  }))
  const order = (entry: (typeof entries)[number]) => entry.lostReasonCategoryUuid ?? ''
  return entries.toSorted((one, other) => other.deals - one.deals || (order(one) < order(other) ? -1 : 1))
}

/** Figures of closed deals, separately for won and lost ones. */
export function closedOf(closed: Figures['closed']) {
  return {
    won: closed.filter(({ status }) => status === 'won'),
    lost: closed.filter(({ status }) => status === 'lost'),
  }
}
