import { Decimal, type OrganizationSettings } from '../../kernel/schema/index.ts'
import { winRateOf } from './deals.rules.ts'
import type { FunnelPipeline } from './funnel.rules.ts'
import type { Leader } from './leaderboard.rules.ts'
import { shown, sum } from './numbers.rules.ts'
import type { Figures } from './summary-fields.ts'

export interface Insight {
  readonly kind: string
  readonly severity: 'info' | 'warning'
  readonly text: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The figures that insights are derived from. If the token may not read amounts, the leaderboard is null and amounts are absent. */
export interface InsightContext {
  readonly figures: Figures
  readonly organization: OrganizationSettings
  readonly funnel: readonly FunnelPipeline[]
  readonly winRate: ReturnType<typeof winRateOf>
  readonly leaderboard: readonly Leader[] | null
  readonly mayReadAmounts: boolean
}

/** The insights, warnings first (contract section 12). */
export function insightsOf(context: InsightContext): Insight[] {
  return [
    ...stageBottleneck(context),
    ...winRateDrop(context),
    ...overdueTasks(context),
    ...topManager(context),
    ...largestDeal(context),
  ]
}

const fewestStays = 5
const fewestDays = 1

/** The open stage in which deals stay longest, if that is twice as long as in the other open stages of its pipeline. */
function stageBottleneck({ figures, funnel }: InsightContext): Insight[] {
  const left = new Map(figures.left.map(each => [each.stage, each]))
  const candidates = funnel.flatMap(({ pipelineId, stages }) => {
    const open = stages.flatMap(stage => {
      const stays = left.get(stage.stageUuid)
      return stage.type === 'open' && stays !== undefined ? [{ ...stage, ...stays }] : []
    })
    return open.flatMap(({ stageUuid, name, stays, seconds, averageDaysInStage }) => {
      const others = open.filter(other => other.stageUuid !== stageUuid)
      const usual = sum(others, each => each.seconds) / sum(others, each => each.stays)
      const isSlow = stays >= fewestStays && (averageDaysInStage ?? 0) >= fewestDays && seconds / stays >= 2 * usual
      return isSlow ? [{ pipelineId, stageUuid, name, averageDays: averageDaysInStage }] : []
    })
  })
  const [slowest] = candidates.toSorted((one, other) => Number(other.averageDays) - Number(one.averageDays))
  if (slowest === undefined) return []
  const text = `Deals stay in the stage ${slowest.name} for ${slowest.averageDays} days on average, at least twice as long as in the other open stages.`
  return [{ kind: 'stage_bottleneck', severity: 'warning', text, params: slowest }]
}

const fewestClosed = 10
const smallestDrop = 0.1

/** A win rate at least ten percentage points below that of the period before, with at least ten closed deals in each period. */
function winRateDrop({ figures, winRate }: InsightContext): Insight[] {
  const count = (status: string) => figures.previous.find(each => each.status === status)?.deals ?? 0
  const previous = winRateOf(count('won'), count('lost'))
  if (Math.min(winRate.won + winRate.lost, previous.won + previous.lost) < fewestClosed) return []
  if (winRate.rate === null || previous.rate === null) return []
  if (new Decimal(previous.rate).minus(winRate.rate).lt(smallestDrop)) return []
  const text = `The win rate fell from ${previous.rate} in the period before to ${winRate.rate}.`
  return [
    {
      kind: 'win_rate_drop',
      severity: 'warning',
      text,
      params: { rate: winRate.rate, previousRate: previous.rate },
    },
  ]
}

function overdueTasks({ figures: { tasks } }: InsightContext): Insight[] {
  const { overdue } = tasks
  if (overdue === 0) return []
  const text = overdue === 1 ? 'One task is overdue.' : `${overdue} tasks are overdue.`
  return [{ kind: 'overdue_tasks', severity: 'warning', text, params: { overdue } }]
}

function topManager({ leaderboard }: InsightContext): Insight[] {
  const first = leaderboard?.[0]
  if (first === undefined || first.won === 0) return []
  const { ownerUuid, name, won } = first
  const text = `${name ?? 'An operator'} leads with ${won} won ${won === 1 ? 'deal' : 'deals'}.`
  return [{ kind: 'top_manager', severity: 'info', text, params: { ownerUuid, name, won } }]
}

function largestDeal({ figures: { largest }, organization, mayReadAmounts }: InsightContext): Insight[] {
  if (largest === null || !mayReadAmounts) return []
  const currency = organization.defaultCurrency
  const amount = shown(new Decimal(largest.amount), currency, mayReadAmounts)
  const text = `The largest deal that was won has an amount of ${amount} ${currency}.`
  return [{ kind: 'largest_deal', severity: 'info', text, params: { dealId: largest.id, amount, currency } }]
}
