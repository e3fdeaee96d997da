import { describe, expect, it } from 'vitest'
import { organizationSettings } from '../../../../test/support/decisions.ts'
import { someFigures } from '../../../../test/support/figures.ts'
import { winRateOf } from './deals.rules.ts'
import type { FunnelStage } from './funnel.rules.ts'
import { type InsightContext, insightsOf } from './insights.rules.ts'
import type { Leader } from './leaderboard.rules.ts'
import { averageDays } from './numbers.rules.ts'

const insights = (members: Partial<InsightContext>) =>
  insightsOf({
    figures: someFigures(),
    organization: organizationSettings(),
    funnel: [],
    winRate: winRateOf(0, 0),
    leaderboard: null,
    mayReadAmounts: true,
    ...members,
  })

const day = 86_400

/** How deals stayed in a stage: so many stays, and the seconds of all of them together. */
interface Stays {
  readonly pipeline?: string
  readonly type?: FunnelStage['type']
  readonly stays: number
  readonly seconds: number
}

/** What is said of stages that deals left like this; a stage that none left is in the funnel as well. */
function bottlenecks(stages: Readonly<Record<string, Stays>>) {
  const left = Object.entries(stages).map(([stage, { stays, seconds }]) => ({ stage, stays, seconds }))
  const shown = Object.entries(stages).map(([stageUuid, { type = 'open', pipeline = 'sales', stays, seconds }]) => ({
    pipeline,
    stageUuid,
    name: stageUuid.toUpperCase(),
    type,
    deals: 0,
    money: [],
    conversionFromPrevious: null,
    averageDaysInStage: averageDays(seconds, stays),
  }))
  const unused = { pipeline: 'sales', stageUuid: 'unused', name: 'UNUSED', type: 'open' as const, deals: 0 }
  const all = [...shown, { ...unused, money: [], conversionFromPrevious: null, averageDaysInStage: null }]
  const funnel = ['sales', 'renewals'].map(pipelineId => ({
    pipelineId,
    stages: all.filter(({ pipeline }) => pipeline === pipelineId),
  }))
  return insights({ figures: someFigures({ left }), funnel })
}

describe('a stage is a bottleneck', () => {
  const usual = { stays: 10, seconds: 10 * day }
  const slow = { stays: 5, seconds: 10 * day }

  it('when deals stay twice as long as in the other open stages of its pipeline', () => {
    expect(bottlenecks({ usual, slow })).toEqual([
      {
        kind: 'stage_bottleneck',
        severity: 'warning',
        text: 'Deals stay in the stage SLOW for 2 days on average, at least twice as long as in the other open stages.',
        params: { pipelineId: 'sales', stageUuid: 'slow', name: 'SLOW', averageDays: 2 },
      },
    ])
    expect(bottlenecks({ usual, slow: { stays: 5, seconds: 10 * day - 1 } })).toEqual([])
  })

  it('by comparison with all stays in the others together', () => {
    const rare = { stays: 1, seconds: 20 * day }
    expect(
      bottlenecks({ rare, usual: { stays: 19, seconds: day }, slow: { stays: 5, seconds: 11 * day } }),
    ).toMatchObject([{ params: { stageUuid: 'slow' } }])
  })

  it('unless fewer than five stays ended, or they took less than a day', () => {
    expect(bottlenecks({ usual, slow: { stays: 4, seconds: 40 * day } })).toEqual([])
    const short = { stays: 10, seconds: day }
    expect(bottlenecks({ short, slow: { stays: 5, seconds: 5 * day } })).toHaveLength(1)
    expect(bottlenecks({ short, slow: { stays: 5, seconds: 4.7 * day } })).toEqual([])
  })

  const notSlow: readonly { readonly others: string; readonly stages: Readonly<Record<string, Stays>> }[] = [
    { others: 'no other open stage', stages: { slow, won: { ...usual, type: 'won' } } },
    { others: 'those of another pipeline', stages: { slow, usual: { ...usual, pipeline: 'renewals' } } },
    { others: 'open ones, and is not open itself', stages: { usual, slow: { ...slow, type: 'lost' } } },
  ]

  it.each(notSlow)('but not beside $others', ({ stages }) => {
    expect(bottlenecks(stages)).toEqual([])
  })

  it('and the insight names the slowest of all pipelines', () => {
    const [inRenewals, slowest] = [
      { ...usual, pipeline: 'renewals' },
      { stays: 5, seconds: 50 * day, pipeline: 'renewals' },
    ]
    expect(bottlenecks({ usual, slow, inRenewals, slowest })).toMatchObject([
      { params: { pipelineId: 'renewals', averageDays: 10 } },
    ])
    expect(
      bottlenecks({
        inRenewals,
        slowest: { ...slowest, seconds: 15 * day },
        usual,
        slow: { stays: 5, seconds: 50 * day },
      }),
    ).toMatchObject([{ params: { pipelineId: 'sales', averageDays: 10 } }])
  })
})

describe('the win rate has dropped', () => {
  const dropped = (won: number, lost: number, wonBefore: number, lostBefore: number) => {
    const previous = [
      { status: 'won', deals: wonBefore },
      { status: 'lost', deals: lostBefore },
    ].filter(({ deals }) => deals > 0)
    return insights({ figures: someFigures({ previous }), winRate: winRateOf(won, lost) })
  }

  it('when it is a tenth below that of the period before', () => {
    expect(dropped(5, 5, 6, 4)).toEqual([
      {
        kind: 'win_rate_drop',
        severity: 'warning',
        text: 'The win rate fell from 0.6000 in the period before to 0.5000.',
        params: { rate: '0.5000', previousRate: '0.6000' },
      },
    ])
    expect(dropped(0, 10, 10, 0)).toHaveLength(1)
    expect(dropped(51, 49, 61, 39)).toHaveLength(1)
    expect(dropped(511, 489, 61, 39)).toEqual([])
    expect(dropped(6, 4, 5, 5)).toEqual([])
  })

  it('unless fewer than ten deals were closed in one of the periods', () => {
    expect(dropped(0, 9, 10, 0)).toEqual([])
    expect(dropped(0, 10, 9, 0)).toEqual([])
    expect(dropped(4, 5, 20, 0)).toEqual([])
    expect(dropped(0, 20, 8, 1)).toEqual([])
    expect(dropped(0, 0, 0, 0)).toEqual([])
  })
})

describe('overdue tasks', () => {
  const cases: readonly (readonly [number, readonly string[]])[] = [
    [0, []],
    [1, ['One task is overdue.']],
    [2, ['2 tasks are overdue.']],
  ]

  it.each(cases)('produce an insight when there are %d', (overdue, texts) => {
    const told = insights({ figures: someFigures({ tasks: { created: 9, done: 0, overdue } }) })
    expect(told).toEqual(texts.map(text => ({ kind: 'overdue_tasks', severity: 'warning', text, params: { overdue } })))
  })
})

describe('the first of the leaderboard', () => {
  const leader = (won: number, name: string | null = 'Ann'): Leader => ({
    ownerUuid: 'ann',
    name,
    rank: 1,
    won,
    lost: 0,
    rate: null,
    money: [],
  })
  const told = (...leaderboard: Leader[]) => insights({ leaderboard }).map(({ text }) => text)

  it('is named with the amount won', () => {
    const params = { ownerUuid: 'ann', name: 'Ann', won: 2 }
    expect(insights({ leaderboard: [leader(2), leader(1, 'Bob')] })).toEqual([
      { kind: 'top_manager', severity: 'info', text: 'Ann leads with 2 won deals.', params },
    ])
    expect(told(leader(1, null))).toEqual(['An operator leads with 1 won deal.'])
  })

  it('is not named where nothing was won, nobody closed a deal, or the token may not read operators', () => {
    expect([told(leader(0)), told(), insights({ leaderboard: null })]).toEqual([[], [], []])
  })
})

describe('the largest deal', () => {
  const largest = someFigures({ largest: { id: 'd', amount: '1234.5' } })

  it('is named with its amount, to tokens that may read amounts', () => {
    const organization = organizationSettings({ defaultCurrency: 'EUR' })
    expect(insights({ figures: largest, organization })).toEqual([
      {
        kind: 'largest_deal',
        severity: 'info',
        text: 'The largest deal that was won has an amount of 1234.50 EUR.',
        params: { dealId: 'd', amount: '1234.50', currency: 'EUR' },
      },
    ])
    expect(insights({ figures: largest, mayReadAmounts: false })).toEqual([])
  })
})

describe('insights', () => {
  it('list the warnings first', () => {
    const figures = someFigures({
      largest: { id: 'd', amount: '1' },
      previous: [{ status: 'won', deals: 10 }],
      tasks: { created: 0, done: 0, overdue: 1 },
    })
    const leader = { ownerUuid: 'ann', name: 'Ann', rank: 1, won: 1, lost: 0, rate: null, money: [] }
    expect(insights({ figures, winRate: winRateOf(0, 10), leaderboard: [leader] }).map(({ kind }) => kind)).toEqual([
      ...['win_rate_drop', 'overdue_tasks', 'top_manager', 'largest_deal'],
    ])
  })
})
