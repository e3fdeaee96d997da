import { type RecordState, Refusal } from '../kernel/index.ts'
import { violates } from '../kernel/schema/index.ts'
import type { SettingsDraft } from '../kernel/write/index.ts'
import { type Administration, administer } from './administer.ts'
import { AdministrationError, missing } from './administration-error.ts'
import { changeSetting } from './change-setting.ts'
import { idNamed } from './organization-of.ts'
import { pipeline } from './pipeline-record.ts'
import { stage, stageTypes } from './stage-record.ts'

export interface NewStage {
  readonly organizationId: string
  readonly pipelineId: string
  readonly name: string
  readonly type: string
  /** From 0; the last place unless told. */
  readonly position?: number | undefined
}

/** Adds a stage to a pipeline. Throws an `AdministrationError` when that is unknown, the name is taken, or a value is not valid. */
export async function createStage(
  administration: Administration,
  { organizationId, pipelineId: given, position, ...input }: NewStage,
): Promise<{ uuid: string }> {
  const pipelineId = await idNamed(administration.database, pipeline, given, organizationId)
  return administer(administration, organizationId, {
    needs(needs) {
      needs.toLoadNested(pipeline, pipelineId)
      needs.toLoadNestedIn(stage, pipelineId)
    },
    decide(draft) {
      const owner = draft.record(pipeline, pipelineId)
      if (owner === null) return missing('pipeline', given)
      const others = inOrder(draft, pipelineId)
      const place = placeOf(position ?? others.length, others)
      const added = draft.add(stage, input, { position: place }, owner)
      if (added instanceof Refusal) return added
      return number(draft, others.toSpliced(place, 0, added)) ?? { uuid: added.id }
    },
  })
}

export interface StageChange {
  readonly organizationId: string
  readonly stageUuid: string
  readonly name?: string | undefined
  /** From 0; the others keep their order. */
  readonly position?: number | undefined
  readonly archived?: boolean | undefined
}

/** Changes a stage. Throws an `AdministrationError` when it is unknown, its name is taken, or its pipeline would lack one of its type. */
export async function setStage(
  administration: Administration,
  { organizationId, stageUuid, position, ...change }: StageChange,
): Promise<{ id: string }> {
  return changeSetting(administration, { organizationId, kind: stage, id: stageUuid }, (draft, before) => {
    const pipelineId = String(before.pipelineId)
    const others = inOrder(draft, pipelineId).filter(({ id }) => id !== before.id)
    const place = position === undefined ? undefined : placeOf(position, others)
    const changed = draft.alter(stage, before, change, place === undefined ? {} : { position: place })
    if (changed instanceof Refusal) return changed
    const refusal = place === undefined ? null : number(draft, others.toSpliced(place, 0, changed))
    return refusal ?? lackingStage(draft, pipelineId) ?? { id: before.id }
  })
}

/** Why the stages that are left of a pipeline are not enough; null where they are. Deals start, are won and are lost. */
export function lackingStage(draft: SettingsDraft, pipelineId: string): Refusal | null {
  const alive = draft.all(stage, pipelineId).filter(({ archived }) => archived !== true)
  const lacking = stageTypes.find(type => !alive.some(each => each.type === type))
  if (lacking === undefined) return null
  return violates('/stages', 'stage_types', `a pipeline needs at least one ${lacking} stage that is not archived`)
}

/** The place that was asked for, or the last one. Throws an `AdministrationError` for what is no whole number. */
function placeOf(position: number, others: readonly unknown[]): number {
  if (!Number.isInteger(position)) throw new AdministrationError('the place of a stage is a whole number from 0')
  return Math.min(position, others.length)
}

function inOrder(draft: SettingsDraft, pipelineId: string): RecordState[] {
  return draft.all(stage, pipelineId).toSorted((one, other) => Number(one.position) - Number(other.position))
}

/** Gives stages the places that they have in this list. */
function number(draft: SettingsDraft, stages: readonly RecordState[]): Refusal | null {
  for (const [position, each] of stages.entries()) {
    if (each.position === position) continue
    const moved = draft.alter(stage, each, {}, { position })
    if (moved instanceof Refusal) return moved
  }
  return null
}
