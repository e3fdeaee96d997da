import {
  byId,
  type Field,
  frequencies,
  type NamesSetting,
  namesById,
  optionalText,
  optionalUuidSchema,
  uuidSchema,
} from '../../kernel/schema/index.ts'

const elsewhere = 'The stage changes through PATCH /deals/{id}/move'

/** The row of a stage or pipeline is kept once a deal has been in it, so that reports can name it. */
const isOrWas =
  (spanColumn: string): NamesSetting =>
  column =>
    `(${column} = $2::uuid or t.id in (
      select x.deal_id from deal_stage_spans x where x.organization_id = $1 and x.${spanColumn} = $2::uuid))`

const lower = (value: unknown) => String(value).toLowerCase()

/** Set on create. Afterwards the pipeline follows from the stage. */
export const pipelineId: Field<string> = {
  column: 'uuid',
  namesSettings: { pipeline: isOrWas('pipeline_id') },
  input: uuidSchema,
  createOnly: true,
  hint: elsewhere,
  filters: { '': byId('In this pipeline') },
  description: 'On create it picks the first stage, unless stageUuid is given too; then the stage must belong to it.',
  initial: '',
  tidy: value => (typeof value === 'string' ? lower(value) : value),
}

/** Set on create; the first stage of the default pipeline if left out. */
export const stageUuid: Field<string> = {
  column: 'uuid',
  namesSettings: { stage: isOrWas('stage_uuid') },
  input: uuidSchema,
  createOnly: true,
  hint: elsewhere,
  filters: { '': byId('In this stage', { frequency: frequencies.stage }) },
  description: 'On create the first stage of the pipeline unless given. Changes through PATCH /deals/{id}/move.',
  initial: '',
  tidy: value => (typeof value === 'string' ? lower(value) : value),
}

export const lostReasonCategoryUuid: Field<string | null> = {
  column: 'uuid',
  namesSettings: { lost_reason: namesById },
  input: optionalUuidSchema,
  createOnly: true,
  hint: elsewhere,
  description: 'Why the deal was lost: one of directories.lostReasonCategories.',
  initial: null,
  tidy: value => (typeof value === 'string' ? lower(value) : value),
}

export const lostReasonComment: Field<string | null> = optionalText({
  max: 2000,
  keepSpace: true,
  patchOnly: true,
  description: 'Only while the deal is lost.',
})
