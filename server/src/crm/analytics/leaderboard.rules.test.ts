import { describe, expect, it } from 'vitest'
import { aConfiguration, organizationSettings } from '../../../../test/support/decisions.ts'
import { closed, priced, someFigures } from '../../../../test/support/figures.ts'
import { leaderboardOf } from './leaderboard.rules.ts'

const configuration = aConfiguration({
  organization: organizationSettings({ defaultCurrency: 'EUR' }),
  operators: new Map([['ann', { uuid: 'ann', name: 'Ann', isActive: true }]]),
})

const won = (owner: string | null, deals: number, amount: string | null = null, currency = 'EUR') =>
  closed('won', priced(deals, amount, currency), { owner })
const lost = (owner: string, deals: number) => closed('lost', priced(deals, '1000', 'EUR'), { owner })

type Deals = ReturnType<typeof closed>
const leaders = (deals: readonly Deals[], mayReadAmounts = true, most = 100) =>
  leaderboardOf(someFigures({ closed: deals }), configuration, mayReadAmounts, most)

/** The owners in their order, each with the rank. */
const ranked = (...given: Parameters<typeof leaders>) =>
  leaders(...given).map(({ ownerUuid, rank }) => `${rank} ${ownerUuid}`)

describe('the leaderboard', () => {
  it('says what each owner has won and lost', () => {
    expect(
      leaders([won('ann', 2, '10'), lost('ann', 1), won('ann', 1, '500', 'JPY'), won('bob', 1), won(null, 9, '99')]),
    ).toEqual([
      {
        ownerUuid: 'ann',
        name: 'Ann',
        rank: 1,
        won: 3,
        lost: 1,
        rate: '0.7500',
        money: [
          { currency: 'EUR', amount: '10.00' },
          { currency: 'JPY', amount: '500' },
        ],
      },
      { ownerUuid: 'bob', name: null, rank: 2, won: 1, lost: 0, rate: '1.0000', money: [] },
    ])
  })

  it('orders owners by the amount won in the currency of the organization, then by deals won, then by fewer deals lost', () => {
    const deals = [
      ...[lost('few', 1), won('few', 1, '5'), lost('most', 2), won('most', 1, '5'), won('foreign', 9, '900', 'USD')],
      ...[won('many', 2, '5'), won('high', 1, '10'), lost('high', 5)],
    ]
    expect(ranked(deals)).toEqual(['1 high', '2 many', '3 few', '4 most', '5 foreign'])
    expect(ranked(deals.toReversed())).toEqual(['1 high', '2 many', '3 few', '4 most', '5 foreign'])
  })

  it('lets equal owners share a rank, in a stable order', () => {
    const deals = ['c', 'a', 'b'].map(owner => won(owner, 1, '5'))
    expect(ranked([...deals, won('d', 1, '4')])).toEqual(['1 a', '1 b', '1 c', '4 d'])
    expect(ranked(deals.toReversed())).toEqual(['1 a', '1 b', '1 c'])
  })

  it('shows a token that may not read amounts nothing of them, not even by its order', () => {
    const deals = [won('rich', 1, '900'), won('busy', 2, '1')]
    expect(ranked(deals)).toEqual(['1 rich', '2 busy'])
    expect(ranked(deals, false)).toEqual(['1 busy', '2 rich'])
    expect(leaders(deals, false)).toMatchObject([{ money: [{ amount: null }] }, { money: [{ amount: null }] }])
  })

  it('has a bounded number of leaders', () => {
    expect(ranked([won('a', 1), won('b', 2), won('c', 3)], true, 2)).toEqual(['1 c', '2 b'])
  })
})
