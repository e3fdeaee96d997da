import type { Configuration } from '../../kernel/schema/index.ts'
import { closedOf } from './deals.rules.ts'
import { amountOf, moneyOf, share, sum } from './numbers.rules.ts'
import type { Closed, Figures } from './summary-fields.ts'

export type Leader = ReturnType<typeof leaderboardOf>[number]

/**
 * The operators whose deals were closed in the period. Who won the higher amount in the currency of the organization
 * stands before; without the right to read amounts, and at equal amounts, who won more deals does, and then who lost
 * fewer. Equals share a rank. What a token may not read decides nothing (contract section 5).
 */
export function leaderboardOf(
  figures: Figures,
  { operators, organization }: Configuration,
  mayReadAmounts: boolean,
  most: number,
) {
  const { won, lost } = closedOf(figures)
  const owners = new Set([...won, ...lost].map(({ owner }) => owner))
  const entries = [...owners].flatMap(owner => {
    if (owner === null) return []
    const wonDeals = of(won, owner)
    const wonCount = sum(wonDeals, each => each.deals)
    const lostCount = sum(of(lost, owner), each => each.deals)
    const amount = amountOf(wonDeals, organization.defaultCurrency)
    const name = operators.get(owner)?.name ?? null
    const money = moneyOf(wonDeals, mayReadAmounts)
    const rate = share(wonCount, wonCount + lostCount)
    return [
      { order: { amount, wonCount, lostCount }, shown: { ownerUuid: owner, name, wonCount, lostCount, rate, money } },
    ]
  })
  type Entry = (typeof entries)[number]
  const compare = ({ order: one }: Entry, { order: other }: Entry) =>
    (mayReadAmounts ? other.amount.cmp(one.amount) : 0) ||
    other.wonCount - one.wonCount ||
    one.lostCount - other.lostCount
  const sorted = entries.toSorted(
    (one, other) => compare(one, other) || (one.shown.ownerUuid < other.shown.ownerUuid ? -1 : 1),
  )
  return sorted.slice(0, most).map(entry => {
    const { ownerUuid, name, wonCount, lostCount, rate, money } = entry.shown
    const rank = sorted.findIndex(other => compare(entry, other) === 0) + 1
    return { ownerUuid, name, rank, won: wonCount, lost: lostCount, rate, money }
  })
}

function of(closed: readonly Closed[], owner: string): Closed[] {
  return closed.filter(each => each.owner === owner)
}
