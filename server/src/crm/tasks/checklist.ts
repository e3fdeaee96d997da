import { defineNested, type Nested } from '../../kernel/index.ts'
import {
  computed,
  type Field,
  isObject,
  namesById,
  optionalUuidSchema,
  placeField,
  requiredText,
} from '../../kernel/schema/index.ts'
import { checklistItemRules, checklistRules } from './checklist.rules.ts'
import { task } from './task.ts'

const { output, ...declared } = defineNested({
  kind: 'checklist',
  plural: 'checklists',
  title: 'Checklist',
  table: 'checklists',
  parent: task,
  parentMember: 'taskId',
  part: 'checklists',
  most: 50,
  order: 'place',
  fields: {
    title: requiredText({ max: 300, example: 'Before the call' }),
    position: placeField('The place among the checklists, from 0; beyond the end is the end. The end unless given.'),
    // Internal: counts changes of the set of items and of their order.
    itemSetVersion: { column: 'integer', output: {}, initial: 0, present: () => ({}) },
  },
  rules: checklistRules,
})

const items = {
  type: 'array',
  items: { $ref: '#/components/schemas/ChecklistItem' },
  description: 'In order. The version counts which items there are and in which order; what they say counts theirs.',
}

/** A list of things to do for a task (contract section 6.8). Answers show its items inside of it. */
export const checklist: Nested = {
  ...declared,
  output: { ...output, properties: { ...(isObject(output.properties) ? output.properties : {}), items } },
}

const isDone: Field<boolean> = {
  column: 'boolean',
  input: { type: 'boolean' },
  initial: false,
  description: 'Whether it is done.',
}

/** One thing to do (contract section 6.8). */
export const checklistItem = defineNested({
  kind: 'checklist_item',
  plural: 'items',
  title: 'ChecklistItem',
  table: 'checklist_items',
  parent: checklist,
  parentMember: 'checklistId',
  idParameter: 'itemId',
  part: 'checklists',
  most: 200,
  order: 'place',
  fields: {
    text: requiredText({ max: 2000, example: 'Look up the last offer', description: 'What there is to do.' }),
    isDone,
    doneAt: computed<string | null>(null, {
      column: 'timestamptz',
      schema: { type: ['string', 'null'], format: 'date-time' },
      description: 'Since when it is done.',
    }),
    doneByUuid: computed<string | null>(null, {
      column: 'uuid',
      namesSettings: { operator: namesById },
      schema: optionalUuidSchema,
      projection: 'operators',
      description: 'The operator who has done it; null when an application said so.',
    }),
    position: placeField(
      'The place among the items, from 0; beyond the end is the end. The end unless given. Moving an item raises it and the ' +
        'checklist, reordering all of them only the checklist.',
    ),
  },
  rules: checklistItemRules,
})
