import { defineNested } from '../kernel/index.ts'
import { computed, optionalUuidSchema } from '../kernel/schema/index.ts'
import { flag, name, position } from './fields.ts'
import { organization } from './organization-record.ts'
import { lostReasonRules } from './setting.rules.ts'

/** Why deals are lost; in one pipeline, or in every one. */
export const lostReason = defineNested({
  kind: 'lost_reason',
  plural: 'lost-reasons',
  title: 'LostReason',
  table: 'lost_reason_categories',
  parent: organization,
  parentMember: 'organizationId',
  part: 'lostReasons',
  most: null,
  order: { field: 'position', direction: 'asc' },
  fields: {
    name: name('the name of a reason'),
    pipelineId: computed<string | null>(null, {
      column: 'uuid',
      namesSettings: ['pipeline'],
      schema: optionalUuidSchema,
    }),
    active: flag(true),
    position: position(),
  },
  rules: lostReasonRules,
})
