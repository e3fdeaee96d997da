import {
  bounds,
  type Caller,
  dateParameter,
  defineOperation,
  mayRead,
  Refusal,
  uuidParameter,
} from '../../kernel/index.ts'
import { type Configuration, dateAt } from '../../kernel/schema/index.ts'
import { countsOf, lostReasonsOf, totalsOf, winRateOf } from './deals.rules.ts'
import type { Filters } from './filters.sql.ts'
import { funnelOf } from './funnel.rules.ts'
import { insightsOf } from './insights.rules.ts'
import { leaderboardOf } from './leaderboard.rules.ts'
import { cycleOf } from './numbers.rules.ts'
import { mostDays, type Period, periodOf, usualDays } from './period.ts'
import { summaryStatement } from './summary.sql.ts'
import type { Figures } from './summary-fields.ts'
import { summaryMetaSchema, summarySchema } from './summary-schema.ts'

const filterParameters = {
  pipelineId: uuidParameter(
    'The pipeline that deals are in at the end of the period, whose stages the funnel shows, and that other records have deals in',
  ),
  ownerId: uuidParameter('The operator who owns the records, or is to do the tasks'),
  contactId: uuidParameter('The contact itself, and what is linked to it'),
  companyId: uuidParameter('The company itself, and what is linked to it'),
  tagId: uuidParameter('The tag that the records have'),
}

/** The query of `GET /analytics/summary`. */
const summaryQuery = {
  startDate: dateParameter(
    `The first day of the period, which has ${usualDays} days unless this is given, and at most ${mostDays}`,
  ),
  endDate: dateParameter('The last day of the period, today unless given'),
  ...filterParameters,
}

/** The filters of a parsed query. */
function filtersOf(query: Readonly<Record<string, unknown>>): Filters {
  const given = Object.keys(filterParameters).flatMap(name => {
    const id = query[name]
    return typeof id === 'string' ? [[name, id] as const] : []
  })
  return Object.fromEntries(given)
}

/** `GET /analytics/summary`: figures of deals and tasks in a period (contract section 12). */
export const getSummary = defineOperation({
  id: 'analytics.summary',
  method: 'GET',
  path: '/api/v1/crm/analytics/summary',
  summary: 'Figures of deals, tasks, contacts and companies for a period',
  description:
    'Days are those of the time zone of the organization. Amounts are null without `crm_amounts_read`; the leaderboard ' +
    'and its insight are absent without `crm_operators_read`.',
  scopes: ['crm_analytics_read'],
  query: summaryQuery,
  answer: { data: summarySchema, meta: summaryMetaSchema },
  async execute({ caller, query, reader }, { database, configurations, clock }) {
    const now = clock.now()
    // Names, stages and time zone are those of the current configuration.
    const configuration = await configurations.fresh(reader)
    const { timeZone, defaultCurrency } = configuration.organization
    const period = periodOf(query, timeZone, now)
    if (period instanceof Refusal) return period
    const filters = filtersOf(query)
    const { pipelineId } = filters
    const stages = [...configuration.stages.values()].filter(
      stage => pipelineId === undefined || stage.pipelineId === pipelineId,
    )
    const { statement, values } = summaryStatement({
      organizationId: caller.organization.id,
      period,
      filters,
      stages: stages.map(({ uuid }) => uuid),
      currency: defaultCurrency,
      now: new Date(now).toISOString(),
      today: dateAt(Math.min(now, Date.parse(period.to)), timeZone),
    })
    const [figures] = await database.report<Figures>(statement, values, reader)
    if (figures === undefined) throw new Error('the statement of the summary returned no row')
    const meta = { redacted: redactedFor(caller), generatedAt: new Date(now).toISOString() }
    return { status: 200, data: summaryOf(figures, period, configuration, pipelineId, caller), meta }
  },
})

/** A summary is not stored, so values that the token may not read are omitted when the summary is built. */
function summaryOf(
  figures: Figures,
  { startDate, endDate, timeZone }: Period,
  configuration: Configuration,
  pipelineId: string | undefined,
  { scopes }: Caller,
) {
  const mayReadAmounts = mayRead('amounts', scopes)
  const deals = countsOf(figures, configuration)
  const funnel = funnelOf(figures, configuration, pipelineId, mayReadAmounts)
  const winRate = winRateOf(deals.won, deals.lost)
  const leaderboard = mayRead('operators', scopes)
    ? leaderboardOf(figures, configuration, mayReadAmounts, bounds.leaderboard.most)
    : null
  const { organization } = configuration
  return {
    period: { startDate, endDate, timeZone },
    deals,
    tasks: figures.tasks,
    contacts: { created: Number(figures.contacts) },
    companies: { created: Number(figures.companies) },
    money: totalsOf(figures, configuration, mayReadAmounts),
    funnel,
    winRate,
    cycle: cycleOf(figures.wins),
    lostReasons: lostReasonsOf(figures, configuration, mayReadAmounts),
    ...(leaderboard === null ? {} : { leaderboard }),
    insights: insightsOf({ figures, organization, funnel, winRate, leaderboard, mayReadAmounts }),
  }
}

function redactedFor({ scopes }: Caller): string[] {
  return (['amounts', 'operators'] as const).filter(projection => !mayRead(projection, scopes))
}
