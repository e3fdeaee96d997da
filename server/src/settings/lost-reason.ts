import { computed, namesById, optionalUuidSchema } from '../kernel/schema/index.ts'
import { defineSetting } from './define-setting.ts'
import { inUse, name, position } from './fields.ts'
import { organization } from './organization.ts'
import { pipeline } from './pipeline.ts'
import { settingBounds } from './setting-bounds.ts'

/** A reason why deals are lost; for one pipeline, or for all. Deals keep a reason that has become inactive. */
export const lostReason = defineSetting({
  kind: 'lost_reason',
  table: 'lost_reason_categories',
  owner: organization,
  about: 'reasons for lost deals',
  creates: 'a reason for lost deals',
  order: 'position',
  bound: settingBounds.organizationLostReasons,
  fields: {
    name: name('the name of a reason', { help: 'its name' }),
    pipelineId: {
      ...computed<string | null>(null, {
        column: 'uuid',
        namesSettings: { pipeline: namesById },
        schema: optionalUuidSchema,
      }),
      input: optionalUuidSchema,
      createOnly: true,
      form: { option: 'pipeline <id>', help: 'for this pipeline only' },
    },
    active: inUse({
      yes: { option: 'active', help: 'deals can be lost for it' },
      no: { option: 'inactive', help: 'no more deals can be lost for it' },
    }),
    position: position(),
  },
  refersTo: { pipelineId: pipeline },
  comesLast: true,
  receipt: ({ id }) => ({ id, uuid: id }),
  insteadOfRemoval: 'make it inactive instead',
})

export const { create: createLostReason } = lostReason.administered
