import { defineNested } from '../kernel/index.ts'
import type { StageType } from '../kernel/schema/index.ts'
import { flag, name, position, word } from './fields.ts'
import { pipeline } from './pipeline-record.ts'
import { stageRules } from './setting.rules.ts'

export const stageTypes: readonly StageType[] = ['open', 'won', 'lost']

/** A step of a pipeline. In an archived one deals stay where they are, and no more come in. */
export const stage = defineNested({
  kind: 'stage',
  plural: 'stages',
  title: 'Stage',
  table: 'stages',
  parent: pipeline,
  parentMember: 'pipelineId',
  part: 'stages',
  most: null,
  order: { field: 'position', direction: 'asc' },
  fields: {
    name: name('the name of a stage'),
    type: { ...word('the type of a stage', stageTypes, 'open'), createOnly: true },
    position: position(),
    archived: flag(false),
  },
  rules: stageRules,
})
