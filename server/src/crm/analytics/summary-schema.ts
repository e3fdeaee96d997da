import {
  countSchema,
  listSchema as list,
  objectSchema as object,
  optionalTextSchema,
  optionalUuidSchema,
  textSchema,
  uuidSchema,
  wordSchema,
} from '../../kernel/schema/index.ts'

const optionalText = { type: ['string', 'null'] }
const days = (description: string) => ({ type: ['number', 'null'], minimum: 0, example: 23.4, description })
const rate = { type: ['string', 'null'], pattern: '^\\d+\\.\\d{4}$', example: '0.6315' }
const winShare = { ...rate, description: 'Won deals by won and lost deals; null if there are none.' }
const date = (description: string) => ({ type: 'string', format: 'date', description })
const amount = optionalTextSchema('A decimal string; null without `crm_amounts_read`.', '1500.00')
const currency = textSchema('An ISO 4217 code.', 'USD')
const money = list(object('CurrencyAmount', { currency, amount }), 'One entry for each currency.')
const created = object('CreatedCount', { created: countSchema('Records that were created in the period.', 12) })

const stage = object('FunnelStage', {
  stageUuid: { ...uuidSchema, description: 'The stage.' },
  name: textSchema('Its name.', 'Proposal'),
  type: wordSchema('PipelineStageType', ['open', 'won', 'lost'], 'The status that a deal has there.'),
  deals: countSchema('Deals that stand in the stage at the end of the period.', 12),
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
  ownerUuid: { ...uuidSchema, description: 'The operator.' },
  name: optionalText,
  rank: { type: 'integer', minimum: 1, example: 1, description: 'The place among the operators, from 1.' },
  won: countSchema('Deals of the operator that were won.', 12),
  lost: countSchema('Deals of the operator that were lost.', 12),
  rate: winShare,
  money,
})

const insight = object('Insight', {
  kind: {
    type: 'string',
    description: 'What it is about, for programs.',
    examples: ['overdue_tasks', 'stage_bottleneck', 'win_rate_drop', 'top_manager', 'largest_deal'],
  },
  severity: { type: 'string', description: 'Whether somebody should act.', examples: ['warning', 'info'] },
  text: textSchema('The insight in words.', '3 tasks are overdue.'),
  params: { type: 'object', description: 'The values that the text tells of.', example: { overdue: 3 } },
})

/** JSON Schemas of `data` and `meta` of a summary. */
export const summarySchema = object(
  'AnalyticsSummary',
  {
    period: {
      ...object('SummaryPeriod', {
        startDate: date('The first day.'),
        endDate: date('The last day.'),
        timeZone: textSchema('The time zone of the days.', 'Europe/Berlin'),
      }),
      description: 'The days that the figures are of.',
    },
    deals: {
      ...object('DealCounts', {
        created: countSchema('Deals that were created in the period.', 12),
        won: countSchema('Deals that were won in it.', 12),
        lost: countSchema('Deals that were lost in it.', 12),
        open: countSchema('Deals that are open at its end.', 12),
      }),
      description: 'Numbers of deals.',
    },
    tasks: {
      ...object('TaskCounts', {
        created: countSchema('Tasks that were created in the period.', 12),
        done: countSchema('Tasks that were done in it.', 12),
        overdue: countSchema('Tasks that were due and not done at its end.', 12),
      }),
      description: 'Numbers of tasks.',
    },
    contacts: { ...created, description: 'Numbers of contacts.' },
    companies: { ...created, description: 'Numbers of companies.' },
    money: list(
      object('CurrencyTotals', {
        currency,
        open: amount,
        won: amount,
        lost: amount,
        averageWon: { ...amount, description: 'By won deal with an amount; null if there is none.' },
      }),
      'Amounts of open, won and lost deals, by currency.',
    ),
    funnel: list(
      object('PipelineFunnel', {
        pipelineId: { ...uuidSchema, description: 'The pipeline.' },
        stages: list(stage, 'Its stages, in their order.'),
      }),
      'How deals went through the stages, by pipeline.',
    ),
    winRate: {
      ...object('WinRate', {
        won: countSchema('Deals that were won in the period.', 12),
        lost: countSchema('Deals that were lost in it.', 12),
        rate: winShare,
      }),
      description: 'How many of the closed deals were won.',
    },
    cycle: {
      ...object('DealCycle', {
        averageDays: days('From the creation of a deal to its win.'),
        medianDays: days('The same of the deal in the middle.'),
      }),
      description: 'How long won deals took.',
    },
    lostReasons: list(
      object('LostReasonFigures', {
        lostReasonCategoryUuid: { ...optionalUuidSchema, description: 'The reason; null: none was given.' },
        name: optionalText,
        deals: countSchema('Deals that were lost for it.', 12),
        money,
      }),
      'Why deals were lost in the period.',
    ),
    leaderboard: list(leader, 'Operators by what they won. Absent without `crm_operators_read`.'),
    insights: list(insight, 'What stands out.'),
  },
  ['leaderboard'],
)
export const summaryMetaSchema = object('AnalyticsSummaryMeta', {
  redacted: list({ type: 'string', examples: ['amounts', 'operators'] }, 'The projections that were applied.'),
  generatedAt: { type: 'string', format: 'date-time', description: 'When the figures were counted.' },
})
