import {
  type Configuration,
  type JsonObject,
  joinRefusals,
  Refusal,
  type Stage,
  violates,
} from '../../kernel/schema/index.ts'
import type { DealState } from './deal-fields.ts'

/**
 * The stage of a new deal: the one in the request, else the first stage of the pipeline in the request, else the first stage of the default
 * pipeline.
 */
export function stageForNewDeal(input: JsonObject, configuration: Configuration): Stage | Refusal {
  const { stageUuid, pipelineId } = input
  if (typeof stageUuid === 'string') {
    const stage = usableStage(stageUuid, configuration)
    if (stage instanceof Refusal || pipelineId === undefined || stage.pipelineId === pipelineId) return stage
    return violates('/pipelineId', 'pipeline', 'The stage belongs to another pipeline')
  }
  const pipeline = configuration.pipelines.find(({ id, isDefault }) =>
    pipelineId === undefined ? isDefault : id === pipelineId,
  )
  if (pipeline === undefined) return violates('/pipelineId', 'pipeline', 'No such pipeline: see directories.pipelines')
  const first = pipeline.stages.find(stage => !stage.archived)
  return first ?? violates('/pipelineId', 'pipeline', 'The pipeline has no stage that is not archived')
}

type Placed = Pick<DealState, 'stageUuid' | 'rank'> | Readonly<Record<string, unknown>>

/** Whether the stage of the deal, or its place in the stage, has changed. */
export function isMoved(before: Placed, after: Placed): boolean {
  return before.stageUuid !== after.stageUuid || before.rank !== after.rank
}

/** The lowest rank of a stage: that of the stored deals or of deals that the same mutation has placed there; null if the stage is empty. */
export function lowestRank(stageUuid: string, stored: string | null, deals: Iterable<Placed>): string | null {
  const ranks = stored === null ? [] : [stored]
  for (const deal of deals) if (deal.stageUuid === stageUuid) ranks.push(String(deal.rank))
  return ranks.length === 0 ? null : ranks.reduce((one, other) => (one < other ? one : other))
}

/** A stage that deals can enter; refuses with 422 if it does not exist or is archived. */
export function usableStage(uuid: string, configuration: Configuration): Stage | Refusal {
  const stage = configuration.stages.get(uuid)
  if (stage === undefined) return violates('/stageUuid', 'stage', 'No such stage: see directories.pipelines')
  return stage.archived ? violates('/stageUuid', 'stage', 'The stage is archived: see directories.pipelines') : stage
}

/**
 * Moves the deal to another stage (contract section 7, "Move rules"). Status and times follow from the type of the stage. A lost stage
 * takes a reason. Any other stage refuses one, and clears the reason of a lost deal.
 */
export function enterStage(
  deal: DealState,
  stage: Stage,
  input: JsonObject,
  configuration: Configuration,
  now: string,
): DealState | Refusal {
  const reason = lostReason(deal, stage, input, configuration)
  if (reason instanceof Refusal) return reason
  const entersNow = deal.stageSpan === 0 || deal.stageUuid !== stage.uuid
  const lost = stage.type === 'lost'
  return {
    ...deal,
    pipelineId: stage.pipelineId,
    stageUuid: stage.uuid,
    status: stage.type,
    lostReasonCategoryUuid: reason,
    lostReasonComment: lost ? comment(deal, input, entersNow) : null,
    stageChangedAt: entersNow ? now : deal.stageChangedAt,
    closedAt: stage.type === 'open' ? null : entersNow ? now : deal.closedAt,
    stageSpan: entersNow ? deal.stageSpan + 1 : deal.stageSpan,
  }
}

function comment(deal: DealState, input: JsonObject, entersNow: boolean): string | null {
  if (typeof input.lostReasonComment === 'string') return input.lostReasonComment
  return entersNow || input.lostReasonComment === null ? null : deal.lostReasonComment
}

function lostReason(
  deal: DealState,
  stage: Stage,
  input: JsonObject,
  configuration: Configuration,
): string | null | Refusal {
  const path = '/lostReasonCategoryUuid'
  const given = typeof input.lostReasonCategoryUuid === 'string' ? input.lostReasonCategoryUuid : null
  if (stage.type !== 'lost') {
    const comment = 'Only a lost stage takes a comment on why the deal was lost'
    return joinRefusals(
      given === null ? null : violates(path, 'status', 'Only a lost stage takes a reason'),
      typeof input.lostReasonComment === 'string' ? violates('/lostReasonComment', 'status', comment) : null,
    )
  }
  const stays = deal.stageSpan > 0 && deal.stageUuid === stage.uuid && input.lostReasonCategoryUuid === undefined
  if (stays) return deal.lostReasonCategoryUuid
  if (given === null) {
    const pipeline = configuration.pipelines.find(({ id }) => id === stage.pipelineId)
    if (pipeline?.lostReasonRequired === false) return null
    return violates(path, 'required', 'This pipeline wants a reason: one of directories.lostReasonCategories')
  }
  const reason = configuration.lostReasons.get(given)
  const usable = reason?.active && (reason.pipelineId === null || reason.pipelineId === stage.pipelineId)
  return usable
    ? given
    : violates(path, 'lost_reason', 'Not an active reason of this pipeline: see directories.lostReasonCategories')
}
