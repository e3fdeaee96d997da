import {
  listSchema as list,
  objectSchema as object,
  optionalUuidSchema,
  uuidSchema,
} from '../../kernel/schema/index.ts'

const count = { type: 'integer', minimum: 0, example: 12 }
const text = (example: string) => ({ type: 'string', example })
const optionalText = { type: ['string', 'null'] }
const days = (description: string) => ({ type: ['number', 'null'], minimum: 0, example: 23.4, description })
const rate = { type: ['string', 'null'], pattern: '^\\d+\\.\\d{4}$', example: '0.6315' }
const date = { type: 'string', format: 'date' }
const amount = {
  type: ['string', 'null'],
  example: '1500.00',
  description: 'A decimal string; null without `crm_amounts_read`.',
}
const money = list(object('CurrencyAmount', { currency: text('USD'), amount }), 'One entry for each currency.')
const created = object('CreatedCount', { created: count })

const stage = object('FunnelStage', {
  stageUuid: uuidSchema,
  name: text('Proposal'),
  type: { component: 'PipelineStageType', type: 'string', enum: ['open', 'won', 'lost'] },
  deals: { ...count, description: 'Deals that stand in the stage at the end of the period.' },
  money,
  conversionFromPrevious: {
    ...rate,
    description:
      'Deals that entered the stage in the period, also such that have left the pipeline since, by those that entered the stage before; ' +
      'null if none did.',
  },
  averageDaysInStage: days('Average length of the stays that ended in the period.'),
})

const leader = object('LeaderboardEntry', {
  ownerUuid: uuidSchema,
  name: optionalText,
  rank: { ...count, minimum: 1, example: 1 },
  won: count,
  lost: count,
  rate,
  money,
})

const insight = object('Insight', {
  kind: {
    type: 'string',
    examples: ['overdue_tasks', 'stage_bottleneck', 'win_rate_drop', 'top_manager', 'largest_deal'],
  },
  severity: { type: 'string', examples: ['warning', 'info'] },
  text: text('3 tasks are overdue.'),
  params: { type: 'object', description: 'The values that the text tells of.', example: { overdue: 3 } },
})

/** JSON Schemas of `data` and `meta` of a summary. */
export const summarySchema = object(
  'AnalyticsSummary',
  {
    period: object('SummaryPeriod', { startDate: date, endDate: date, timeZone: text('Europe/Berlin') }),
    deals: object('DealCounts', { created: count, won: count, lost: count, open: count }),
    tasks: object('TaskCounts', { created: count, done: count, overdue: count }),
    contacts: created,
    companies: created,
    money: list(
      object('CurrencyTotals', {
        currency: text('USD'),
        open: amount,
        won: amount,
        lost: amount,
        averageWon: { ...amount, description: 'By won deal with an amount; null if there is none.' },
      }),
      'Amounts of open, won and lost deals, by currency.',
    ),
    funnel: list(object('PipelineFunnel', { pipelineId: uuidSchema, stages: list(stage) })),
    winRate: object('WinRate', { won: count, lost: count, rate }),
    cycle: object('DealCycle', {
      averageDays: days('From the creation of a deal to its win.'),
      medianDays: days('The same of the deal in the middle.'),
    }),
    lostReasons: list(
      object('LostReasonFigures', {
        lostReasonCategoryUuid: optionalUuidSchema,
        name: optionalText,
        deals: count,
        money,
      }),
    ),
    leaderboard: list(leader, 'Operators by what they won. Absent without `crm_operators_read`.'),
    insights: list(insight),
  },
  ['leaderboard'],
)
export const summaryMetaSchema = object('AnalyticsSummaryMeta', {
  redacted: list({ type: 'string', examples: ['amounts', 'operators'] }, 'The projections that were applied.'),
  generatedAt: { type: 'string', format: 'date-time' },
})
