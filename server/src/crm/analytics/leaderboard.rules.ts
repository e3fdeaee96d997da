import type { Configuration } from '../../kernel/schema/index.ts'
import { closedOf } from './deals.rules.ts'
import { amountOf, groupedBy, moneyOf, share, sum } from './numbers.rules.ts'
import type { Figures } from './summary-fields.ts'

export type Leader = ReturnType<typeof leaderboardOf>[number]

/**
 * Ranks the operators whose deals were closed in the period: by the amount won in the currency of the organization, then by the number of
 * won deals, then by the fewest lost deals. Without the scope to read amounts, the number of won deals comes first, because a value that
 * the token may not read must not affect the order (contract section 5). Operators with equal figures share a rank.
 */
export function leaderboardOf(
  figures: Figures,
  { operators, organization }: Configuration,
  mayReadAmounts: boolean,
  most: number,
) {
  const entries = [...groupedBy(figures.closed, ({ owner }) => owner)].flatMap(([ownerUuid, ofOwner]) => {
    if (ownerUuid === null) return []
    const deals = closedOf(ofOwner)
    const [won, lost] = [sum(deals.won, each => each.deals), sum(deals.lost, each => each.deals)]
    const name = operators.get(ownerUuid)?.name ?? null
    const money = moneyOf(deals.won, mayReadAmounts)
    const amount = amountOf(deals.won, organization.defaultCurrency)
    return [{ amount, leader: { ownerUuid, name, won, lost, rate: share(won, won + lost), money } }]
  })
  type Entry = (typeof entries)[number]
  const compare = (one: Entry, other: Entry) =>
    (mayReadAmounts ? other.amount.cmp(one.amount) : 0) ||
    other.leader.won - one.leader.won ||
    one.leader.lost - other.leader.lost
  const sorted = entries.toSorted(
    (one, other) => compare(one, other) || (one.leader.ownerUuid < other.leader.ownerUuid ? -1 : 1),
  )
  return sorted.slice(0, most).map(entry => {
    const { ownerUuid, name, ...counts } = entry.leader
    const rank = sorted.findIndex(other => compare(entry, other) === 0) + 1
    return { ownerUuid, name, rank, ...counts }
  })
}
