import { Refusal } from '../kernel/index.ts'
import type { SettingsDraft } from '../kernel/write/index.ts'
import { type Administration, administer } from './administer.ts'
import { missing } from './administration-error.ts'
import { changeSetting } from './change-setting.ts'
import { lostReason } from './lost-reason-record.ts'
import { pipeline } from './pipeline-record.ts'
import { uuidOf } from './values.ts'

export interface NewLostReason {
  readonly name: string
  /** Absent: usable in every pipeline. */
  readonly pipelineId?: string | undefined
}

/** Creates a reason for lost deals. Throws an `AdministrationError` for an unknown pipeline. */
export async function createLostReason(
  administration: Administration,
  { organizationId, name, pipelineId: given }: NewLostReason & { readonly organizationId: string },
): Promise<{ uuid: string }> {
  const pipelineId = given === undefined ? undefined : uuidOf('pipeline', given)
  return administer(administration, organizationId, {
    needs(needs) {
      needs.toLoadNestedIn(lostReason, organizationId)
      if (pipelineId !== undefined) needs.toLoadNested(pipeline, pipelineId)
    },
    decide: draft => addLostReason(draft, { name, pipelineId }),
  })
}

/** Adds a reason; those that the organization has are loaded, and its pipeline. */
export function addLostReason(draft: SettingsDraft, { name, pipelineId }: NewLostReason): { uuid: string } | Refusal {
  const isKnown = pipelineId === undefined || draft.record(pipeline, pipelineId) !== null
  if (!isKnown) return missing('pipeline', pipelineId)
  const added = draft.add(lostReason, { name }, { pipelineId: pipelineId ?? null })
  return added instanceof Refusal ? added : { uuid: added.id }
}

export interface LostReasonChange {
  readonly organizationId: string
  readonly lostReasonUuid: string
  readonly name?: string | undefined
  /** An inactive reason stays with the deals that have it, and is given to no more. */
  readonly active?: boolean | undefined
}

/** Changes a reason. Throws an `AdministrationError` when it is unknown, or a value is not valid. */
export async function setLostReason(
  administration: Administration,
  { organizationId, lostReasonUuid, ...change }: LostReasonChange,
): Promise<{ uuid: string }> {
  return changeSetting(administration, { organizationId, kind: lostReason, id: lostReasonUuid }, (draft, before) => {
    const changed = draft.alter(lostReason, before, change)
    return changed instanceof Refusal ? changed : { uuid: before.id }
  })
}
