import { type Nested, type RecordState, Refusal, type SettingsDraft } from '../kernel/index.ts'
import { type StageType, violates } from '../kernel/schema/index.ts'

/** The stages of a pipeline have positions from 0 without gaps, and each type has at least one stage that is not archived. */

export const stageTypes: readonly StageType[] = ['open', 'won', 'lost']

/** Adds a stage at a position, or as the last one. */
export function addStage(draft: SettingsDraft, stage: Nested, input: StageInput, owner: RecordState) {
  const { position: given, ...values } = input
  const others = stagesInOrder(draft, stage, owner.id)
  const position = placeIn(others, given ?? others.length)
  if (position instanceof Refusal) return position
  const added = draft.add(stage, values, { position }, owner)
  if (added instanceof Refusal) return added
  return number(draft, stage, others.toSpliced(position, 0, added)) ?? added
}

interface StageInput {
  readonly position?: unknown
  readonly [member: string]: unknown
}

/** Changes a stage, and moves it if the input has a position; the others keep their order. */
export function changeStage(draft: SettingsDraft, stage: Nested, input: StageInput, before: RecordState) {
  const { position: given, ...values } = input
  const pipelineId = String(before.pipelineId)
  const others = stagesInOrder(draft, stage, pipelineId).filter(({ id }) => id !== before.id)
  const position = given === undefined ? null : placeIn(others, given)
  if (position instanceof Refusal) return position
  const changed = draft.alter(stage, before, values, position === null ? {} : { position })
  if (changed instanceof Refusal) return changed
  const refusal = position === null ? null : number(draft, stage, others.toSpliced(position, 0, changed))
  return refusal ?? lackingStage(draft, stage, pipelineId) ?? changed
}

/** Why the remaining stages of a pipeline are not enough; null if they are. A pipeline needs a stage for open, won and lost deals. */
export function lackingStage(draft: SettingsDraft, stage: Nested, pipelineId: string): Refusal | null {
  const alive = draft.all(stage, pipelineId).filter(({ archived }) => archived !== true)
  const lacking = stageTypes.find(type => !alive.some(each => each.type === type))
  if (lacking === undefined) return null
  return violates('/stages', 'stage_types', `a pipeline needs at least one ${lacking} stage that is not archived`)
}

/** The requested position, or the last one. */
function placeIn(others: readonly unknown[], position: unknown): number | Refusal {
  if (typeof position === 'number' && Number.isInteger(position)) return Math.min(position, others.length)
  return violates('/position', 'integer', 'the place of a stage is a whole number from 0')
}

export function stagesInOrder(draft: SettingsDraft, stage: Nested, pipelineId: string): RecordState[] {
  return draft.all(stage, pipelineId).toSorted((one, other) => Number(one.position) - Number(other.position))
}

/** Numbers the stages by their order in this list. */
function number(draft: SettingsDraft, stage: Nested, stages: readonly RecordState[]): Refusal | null {
  for (const [position, each] of stages.entries()) {
    if (each.position === position) continue
    const moved = draft.alter(stage, each, {}, { position })
    if (moved instanceof Refusal) return moved
  }
  return null
}
