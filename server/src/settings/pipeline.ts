import { type Nested, type RecordState, Refusal, type SettingsDraft } from '../kernel/index.ts'
import { type Field, isObject, type JsonObject, violates } from '../kernel/schema/index.ts'
import { AdministrationError } from './administration-error.ts'
import { defineSetting } from './define-setting.ts'
import { name, onlyForNew, position, word, yesOrNo } from './fields.ts'
import { organization } from './organization.ts'
import { settingBounds } from './setting-bounds.ts'
import { addStage, changeStage, lackingStage, stagesInOrder, stageTypes } from './stage-order.ts'

interface NewStage {
  readonly name: string
  readonly type: string
}

const stages: Field<readonly NewStage[]> = {
  initial: [],
  input: {
    type: 'array',
    minItems: 1,
    maxItems: settingBounds.pipelineStages.most,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'type'],
      properties: { name: { type: 'string' }, type: { type: 'string', enum: [...stageTypes] } },
    },
  },
  requiredOnCreate: true,
  createOnly: true,
  form: {
    option: 'stage <name:type...>',
    help: 'a stage of the type open, won or lost; once for each, in order',
    item: stageIn,
  },
}

/** A sequence of stages for deals. One pipeline of an organization is the default for new deals. */
export const pipeline = defineSetting({
  kind: 'pipeline',
  owner: organization,
  about: 'pipelines, through which deals go',
  creates: 'a pipeline with its stages',
  order: 'position',
  bound: settingBounds.organizationPipelines,
  fields: {
    name: name('the name of a pipeline', { help: 'its name' }),
    isDefault: yesOrNo(false, {
      yes: { option: 'default', help: 'new deals go here unless told, instead of where they went' },
    }),
    lostReasonRequired: yesOrNo(true, {
      yes: { option: 'lost-reason-required', help: 'a lost deal needs a reason' },
      no: { option: 'lost-reason-optional', help: 'a lost deal needs no reason' },
    }),
    position: position(),
  },
  more: { stages },
  unique: { name: ({ name }) => `another pipeline is named ${String(name)}` },
  comesLast: true,
  needs(needs, _, id) {
    if (id !== null) needs.toLoadNestedIn(stage, id)
  },
  add: addPipeline,
  alter(draft, before, { isDefault, ...input }, kind) {
    if (isDefault === false && before.isDefault === true) return defaultStays()
    const refusal = isDefault === true ? takeDefault(draft, kind, before.id) : null
    return refusal ?? draft.alter(kind, before, { isDefault, ...input })
  },
  receipt: createdPipeline,
  whyNeeded: ({ isDefault }) => (isDefault === true ? defaultStays() : null),
})

/** A step of a pipeline. Deals stay in an archived stage, but none can enter it. */
export const stage = defineSetting({
  kind: 'stage',
  owner: pipeline,
  about: 'stages of pipelines',
  creates: 'a stage of a pipeline',
  order: 'position',
  bound: settingBounds.pipelineStages,
  fields: {
    name: name('the name of a stage', { help: 'its name' }),
    type: { ...word('the type of a stage', stageTypes, 'open'), requiredOnCreate: true, createOnly: true },
    position: {
      ...position(),
      input: { type: 'integer', minimum: 0 },
      form: { option: 'position <n>', help: 'its place, from 0', usual: 'the last one' },
    },
    archived: {
      ...yesOrNo(false, {
        yes: { option: 'archived', help: 'no more deals can enter it' },
        no: { option: 'no-archived', help: 'deals can enter it' },
      }),
      patchOnly: true,
    },
  },
  more: { pipelineId: onlyForNew() },
  // The names of the active stages of a pipeline differ.
  within: 'pipelineId',
  unique: { name: ({ name }) => `another stage is named ${String(name)}` },
  isInUse: ({ archived }) => archived !== true,
  add: (draft, input, kind, owner) => addStage(draft, kind, input, owner),
  alter: (draft, before, input, kind) => changeStage(draft, kind, input, before),
  whyNeeded: ({ pipelineId }, draft, kind) => lackingStage(draft, kind, String(pipelineId)),
  receipt: ({ id }) => ({ id, uuid: id }),
  isRemovedWithOwner: true,
  insteadOfRemoval: 'archive it instead',
})

export const { create: createPipeline } = pipeline.administered
export const { create: createStage, set: setStage } = stage.administered

export interface CreatedPipeline {
  readonly id: string
  readonly stages: readonly { readonly uuid: string; readonly name: string; readonly type: string }[]
}

/** A pipeline with its stages, which are loaded or added. */
export function createdPipeline({ id }: RecordState, draft: SettingsDraft): CreatedPipeline {
  const shown = ({ id: uuid, name, type }: RecordState) => ({ uuid, name: String(name), type: String(type) })
  return { id, stages: stagesInOrder(draft, stage, id).map(shown) }
}

/** Adds a pipeline with its stages, in order; the existing pipelines of the organization are loaded. */
export function addPipeline(draft: SettingsDraft, input: JsonObject): RecordState | Refusal {
  const { stages: listed, ...values } = input
  const refusal = values.isDefault === true ? takeDefault(draft, pipeline) : null
  if (refusal !== null) return refusal
  const created = draft.add(pipeline, values)
  if (created instanceof Refusal) return created
  for (const [position, given] of (Array.isArray(listed) ? listed : []).entries()) {
    const added = draft.add(stage, isObject(given) ? given : {}, { position }, created)
    if (added instanceof Refusal) return added
  }
  return lackingStage(draft, stage, created.id) ?? created
}

/** Clears the default flag of all other pipelines. */
function takeDefault(draft: SettingsDraft, kind: Nested, id?: string): Refusal | null {
  for (const other of draft.all(kind)) {
    if (other.id === id || other.isDefault !== true) continue
    const unset = draft.alter(kind, other, { isDefault: false })
    if (unset instanceof Refusal) return unset
  }
  return null
}

function defaultStays(): Refusal {
  return violates('', 'default_pipeline', 'new deals go to the default pipeline: make another one the default first')
}

/** The type follows the last colon, because a name may contain colons. */
function stageIn(text: string): JsonObject {
  const colon = text.lastIndexOf(':')
  if (colon < 0) throw new AdministrationError(`"${text}" is no stage: write its name and type, such as New:open`)
  return { name: text.slice(0, colon), type: text.slice(colon + 1).trim() }
}
