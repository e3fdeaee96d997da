import type { Configuration, Pipeline, Stage } from '../../kernel/schema/index.ts'
import { averageDays, groupedBy, moneyOf, share, sum } from './numbers.rules.ts'
import type { Figures } from './summary-fields.ts'

export interface FunnelStage {
  readonly stageUuid: string
  readonly name: string
  readonly type: Stage['type']
  readonly deals: number
  readonly money: ReturnType<typeof moneyOf>
  readonly conversionFromPrevious: string | null
  readonly averageDaysInStage: number | null
}

export interface FunnelPipeline {
  readonly pipelineId: string
  readonly stages: readonly FunnelStage[]
}

/**
 * Each pipeline, or only the requested one, with its stages in order: the deals in each stage at the end of the period, the deals that
 * entered it in the period as a share of those that entered the stage before it, and the average length of the stays that ended in the
 * period. An archived stage appears only if it has figures.
 */
export function funnelOf(
  figures: Figures,
  { pipelines }: Configuration,
  pipelineId: string | undefined,
  mayReadAmounts: boolean,
): FunnelPipeline[] {
  const known = figuresByStage(figures)
  const asked = pipelines.filter(({ id }) => pipelineId === undefined || id === pipelineId)
  return asked.map(pipeline => ({ pipelineId: pipeline.id, stages: stagesOf(pipeline, known, mayReadAmounts) }))
}

function stagesOf({ stages }: Pipeline, known: ReturnType<typeof figuresByStage>, mayReadAmounts: boolean) {
  const shown = stages.filter(({ uuid, archived }) => !archived || known.isActive(uuid))
  return shown.map(({ uuid, name, type }, place): FunnelStage => {
    const standing = known.standing.get(uuid) ?? []
    const left = known.left.get(uuid)
    const before = shown[place - 1]
    return {
      stageUuid: uuid,
      name,
      type,
      deals: sum(standing, each => each.deals),
      money: moneyOf(standing, mayReadAmounts),
      conversionFromPrevious: before === undefined ? null : share(known.entered(uuid), known.entered(before.uuid)),
      averageDaysInStage: left === undefined ? null : averageDays(left.seconds, left.stays),
    }
  })
}

function figuresByStage({ standing, entered, left }: Figures) {
  const standingIn = groupedBy(standing, ({ stage }) => stage)
  const enteredStages = new Map(entered.map(({ stage, deals }) => [stage, deals]))
  const leftStages = new Map(left.map(each => [each.stage, each]))
  return {
    standing: standingIn,
    left: leftStages,
    entered: (uuid: string) => enteredStages.get(uuid) ?? 0,
    isActive: (uuid: string) => standingIn.has(uuid) || enteredStages.has(uuid) || leftStages.has(uuid),
  }
}
