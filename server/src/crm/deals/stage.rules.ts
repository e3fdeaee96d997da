import { type Configuration, type JsonObject, Refusal, type Stage, violates } from '../../kernel/schema/index.ts'
import type { DealState } from './deal-state.ts'

/** The stage of a new deal: the one asked for, else the first of the pipeline asked for, else of the default one. */
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

/** Under which the lowest rank of a stage is loaded: a new deal goes on top. */
export function topOfStageName(stageUuid: string): string {
  return `top_of_${stageUuid}`
}

/** A stage that deals can enter; 422 when there is none or it is archived. */
export function usableStage(uuid: string, configuration: Configuration): Stage | Refusal {
  const stage = configuration.stages.get(uuid)
  if (stage === undefined) return violates('/stageUuid', 'stage', 'No such stage: see directories.pipelines')
  return stage.archived ? violates('/stageUuid', 'stage', 'The stage is archived') : stage
}

/**
 * The deal in a stage (contract section 7, "Move rules"): status and times follow the type of the stage; a lost stage
 * takes a reason, any other stage refuses one and clears what a lost deal had.
 */
export function enterStage<State extends DealState>(
  deal: State,
  stage: Stage,
  input: JsonObject,
  configuration: Configuration,
  now: string,
): State | Refusal {
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
    if (given === null && typeof input.lostReasonComment !== 'string') return null
    return violates(path, 'status', 'Only a lost stage takes a reason')
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
  return usable ? given : violates(path, 'lost_reason', 'Not an active reason of this pipeline')
}
