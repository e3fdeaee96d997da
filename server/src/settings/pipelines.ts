import { Refusal } from '../kernel/index.ts'
import type { StageType } from '../kernel/schema/index.ts'
import type { SettingsDraft } from '../kernel/write/index.ts'
import { type Administration, administer } from './administer.ts'
import { changeSetting } from './change-setting.ts'
import { pipeline } from './pipeline-record.ts'
import { stage, stageTypes } from './stage-record.ts'
import { lackingStage } from './stages.ts'
import { wordOf } from './values.ts'

export interface NewPipeline {
  readonly name: string
  /** In order; at least one is open, one won and one lost. */
  readonly stages: readonly { readonly name: string; readonly type: string }[]
  /** Takes over from the pipeline that is the default now. */
  readonly isDefault?: boolean | undefined
  /** Whether a lost deal needs a reason; true unless told. */
  readonly lostReasonRequired?: boolean | undefined
}

export interface CreatedPipeline {
  readonly id: string
  readonly stages: readonly { readonly uuid: string; readonly name: string; readonly type: StageType }[]
}

/** What every organization starts with. */
export const defaultPipeline: NewPipeline = {
  name: 'Sales',
  stages: [
    { name: 'New', type: 'open' },
    { name: 'Qualified', type: 'open' },
    { name: 'Proposal', type: 'open' },
    { name: 'Negotiation', type: 'open' },
    { name: 'Won', type: 'won' },
    { name: 'Lost', type: 'lost' },
  ],
  isDefault: true,
}

/** Creates a pipeline with its stages. Throws an `AdministrationError` for a value that is not valid. */
export async function createPipeline(
  administration: Administration,
  { organizationId, ...input }: NewPipeline & { readonly organizationId: string },
): Promise<CreatedPipeline> {
  return administer(administration, organizationId, {
    needs: needs => needs.toLoadNestedIn(pipeline, organizationId),
    decide: draft => addPipeline(draft, input),
  })
}

/** Adds a pipeline with its stages; those that the organization has are loaded. */
export function addPipeline(draft: SettingsDraft, { stages, ...input }: NewPipeline): CreatedPipeline | Refusal {
  const refusal = input.isDefault ? takeDefault(draft) : null
  if (refusal !== null) return refusal
  const created = draft.add(pipeline, input)
  if (created instanceof Refusal) return created
  const shown: { uuid: string; name: string; type: StageType }[] = []
  for (const [position, given] of stages.entries()) {
    const added = draft.add(stage, given, { position }, created)
    if (added instanceof Refusal) return added
    const type = wordOf('the type of a stage', stageTypes, String(added.type))
    shown.push({ uuid: added.id, name: String(added.name), type })
  }
  return lackingStage(draft, created.id) ?? { id: created.id, stages: shown }
}

export interface PipelineChange {
  readonly organizationId: string
  readonly pipelineId: string
  readonly name?: string | undefined
  /** Takes over from the pipeline that is the default now. */
  readonly isDefault?: true | undefined
  readonly lostReasonRequired?: boolean | undefined
}

/** Changes a pipeline. Throws an `AdministrationError` when it is unknown, its name is taken, or a value is not valid. */
export async function setPipeline(
  administration: Administration,
  { organizationId, pipelineId, ...change }: PipelineChange,
): Promise<{ id: string }> {
  return changeSetting(administration, { organizationId, kind: pipeline, id: pipelineId }, (draft, before) => {
    const refusal = change.isDefault ? takeDefault(draft, before.id) : null
    if (refusal !== null) return refusal
    const changed = draft.alter(pipeline, before, change)
    return changed instanceof Refusal ? changed : { id: before.id }
  })
}

/** Takes the mark of the default pipeline from all others. */
function takeDefault(draft: SettingsDraft, id?: string): Refusal | null {
  for (const other of draft.all(pipeline)) {
    if (other.id === id || other.isDefault !== true) continue
    const unset = draft.alter(pipeline, other, { isDefault: false })
    if (unset instanceof Refusal) return unset
  }
  return null
}
