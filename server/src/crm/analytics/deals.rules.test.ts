import { describe, expect, it } from 'vitest'
import { aConfiguration } from '../../../../test/support/decisions.ts'
import { closed, priced, someFigures, standing } from '../../../../test/support/figures.ts'
import type { Stage } from '../../kernel/schema/index.ts'
import { countsOf, lostReasonsOf, totalsOf, winRateOf } from './deals.rules.ts'

const stages = (['open', 'won', 'lost'] as const).map((type): [string, Stage] => [
  type,
  { uuid: type, name: type, pipelineId: 'sales', type, position: 0, archived: false },
])
const lostReasons = [
  { uuid: 'price', name: 'Price', pipelineId: null, active: true },
  { uuid: 'time', name: 'Time', pipelineId: null, active: false },
]
const configuration = aConfiguration({
  stages: new Map(stages),
  lostReasons: new Map(lostReasons.map(reason => [reason.uuid, reason])),
})

const figures = someFigures({
  standing: [
    standing('open', priced(3, '30'), 2),
    standing('open', priced(1, '500', 'JPY')),
    standing('won', priced(4, '40'), 4),
    standing('removed', priced(8, '80'), 1),
  ],
  closed: [
    closed('won', priced(2, '10.01'), { owner: 'ann' }),
    closed('won', { ...priced(3, '5'), priced: 1 }),
    closed('won', priced(1)),
    closed('lost', priced(5, '7', 'EUR'), { reason: 'price' }),
  ],
})

describe('the counts of deals', () => {
  it('are those created wherever they stand, those closed in the period, and those in open stages at its end', () => {
    expect(countsOf(figures, configuration)).toEqual({ created: 7, won: 6, lost: 5, open: 4 })
    expect(countsOf(someFigures(), configuration)).toEqual({ created: 0, won: 0, lost: 0, open: 0 })
  })
})

describe('the totals of deals', () => {
  it('are apart by currency, and the average is that of won deals with an amount', () => {
    expect(totalsOf(figures, configuration, true)).toEqual([
      { currency: 'EUR', open: '0.00', won: '0.00', lost: '7.00', averageWon: null },
      { currency: 'JPY', open: '500', won: '0', lost: '0', averageWon: null },
      { currency: 'USD', open: '30.00', won: '15.01', lost: '0.00', averageWon: '5.00' },
    ])
  })

  it('have no amount for a token that may not read amounts', () => {
    const hidden = { open: null, won: null, lost: null, averageWon: null }
    expect(totalsOf(figures, configuration, false)).toEqual(
      ['EUR', 'JPY', 'USD'].map(currency => ({ currency, ...hidden })),
    )
  })
})

describe('the win rate', () => {
  it('is the share of won deals in those closed', () => {
    expect(winRateOf(3, 1)).toEqual({ won: 3, lost: 1, rate: '0.7500' })
    expect(winRateOf(0, 0)).toEqual({ won: 0, lost: 0, rate: null })
  })
})

describe('the reasons of lost deals', () => {
  const reasons = (...given: (readonly [string | null, number])[]) => {
    const lost = given.map(([reason, deals]) => closed('lost', priced(deals, '1'), { reason }))
    return lostReasonsOf(someFigures({ closed: [closed('won', priced(9, '9')), ...lost] }), configuration, true)
  }

  it('come with the most frequent first, each with its name, its deals and their amounts', () => {
    expect(reasons(['time', 1], ['price', 2], ['time', 3])).toEqual([
      { lostReasonCategoryUuid: 'time', name: 'Time', deals: 4, money: [{ currency: 'USD', amount: '2.00' }] },
      { lostReasonCategoryUuid: 'price', name: 'Price', deals: 2, money: [{ currency: 'USD', amount: '1.00' }] },
    ])
  })

  it('have no name where none was given, or it is there no more', () => {
    expect(reasons([null, 2], ['removed', 1])).toMatchObject([
      { lostReasonCategoryUuid: null, name: null },
      { lostReasonCategoryUuid: 'removed', name: null },
    ])
  })

  it('that are equally frequent have an order of their own', () => {
    const order = (...given: (string | null)[]) =>
      reasons(...given.map(reason => [reason, 1] as const)).map(({ lostReasonCategoryUuid }) => lostReasonCategoryUuid)
    expect(order('time', null, 'price')).toEqual([null, 'price', 'time'])
    expect(order('price', 'time', null)).toEqual([null, 'price', 'time'])
  })

  it('have no amount for a token that may not read amounts', () => {
    const [reason] = lostReasonsOf(figures, configuration, false)
    expect(reason).toMatchObject({ deals: 5, money: [{ currency: 'EUR', amount: null }] })
  })
})
