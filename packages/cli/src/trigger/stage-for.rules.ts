import type { Directories } from 'crm-sdk/schemas'

/** Where a deal begins, and what a move ends it with. */
export interface DealEnd {
  readonly pipelineId: string
  readonly firstStage: string
  readonly stage: string
  /** Undefined if the pipeline asks for none. */
  readonly lostReason: string | undefined
}

/** How a deal can be won or lost: in the default pipeline if that can be, otherwise in another one. Null if in none. */
export function dealEndOf({ pipelines, lostReasonCategories }: Directories, type: 'won' | 'lost'): DealEnd | null {
  const ordered = [...pipelines].sort((one, other) => Number(other.isDefault) - Number(one.isDefault))
  for (const { id: pipelineId, stages, lostReasonRequired } of ordered) {
    const first = stages.find(stage => stage.type === 'open')
    const last = stages.find(stage => stage.type === type)
    const reason = lostReasonCategories.find(each => each.pipelineId === null || each.pipelineId === pipelineId)
    const needsReason = type === 'lost' && lostReasonRequired
    if (first === undefined || last === undefined || (needsReason && reason === undefined)) continue
    const lostReason = needsReason ? reason?.uuid : undefined
    return { pipelineId, firstStage: first.uuid, stage: last.uuid, lostReason }
  }
  return null
}
