import { defineNested } from '../kernel/index.ts'
import { flag, name, position } from './fields.ts'
import { organization } from './organization-record.ts'
import { pipelineRules } from './setting.rules.ts'

/** The way that deals go. One of an organization is the default: new deals go there unless told. */
export const pipeline = defineNested({
  kind: 'pipeline',
  plural: 'pipelines',
  title: 'Pipeline',
  table: 'pipelines',
  parent: organization,
  parentMember: 'organizationId',
  part: 'pipelines',
  most: null,
  order: { field: 'position', direction: 'asc' },
  fields: {
    name: name('the name of a pipeline'),
    isDefault: flag(false),
    lostReasonRequired: flag(true),
    position: position(),
  },
  rules: pipelineRules,
})
