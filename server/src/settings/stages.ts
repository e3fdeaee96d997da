import { Refusal } from '../kernel/index.ts'
import { violates } from '../kernel/schema/index.ts'
import { type Administration, administer } from './administer.ts'
import { missing } from './administration-error.ts'
import { stage } from './stage-record.ts'
import { uuidOf } from './values.ts'

export interface StageChange {
  readonly organizationId: string
  readonly stageUuid: string
  readonly archived?: boolean | undefined
}

/** Changes a stage. Throws an `AdministrationError` when it is unknown or the last open one of its pipeline. */
export async function setStage(
  administration: Administration,
  { organizationId, stageUuid, ...change }: StageChange,
): Promise<{ id: string }> {
  const id = uuidOf('stage', stageUuid)
  return administer(administration, organizationId, {
    needs(needs, work) {
      needs.toLoadNested(stage, id)
      const loaded = work.record(stage.kind, id)
      if (loaded !== null) needs.toLoadNestedIn(stage, String(loaded.pipelineId))
    },
    decide(draft) {
      const before = draft.record(stage, id)
      if (before === null) return missing('stage', stageUuid)
      const changed = draft.alter(stage, before, change)
      if (changed instanceof Refusal) return changed
      const isOpenLeft = draft
        .all(stage, String(changed.pipelineId))
        .some(each => each.type === 'open' && !each.archived)
      if (changed.archived !== true || changed.type !== 'open' || isOpenLeft) return { id }
      return violates('/archived', 'open_stage', 'the last open stage of a pipeline cannot be archived')
    },
  })
}
