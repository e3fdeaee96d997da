import type { Field } from '../../kernel/schema/index.ts'

const count = { type: 'integer', minimum: 0 }

/** How many items the checklists have, and how many of them are done. */
export const checklistProgress: Field<null> = {
  output: {
    '': {
      component: 'ChecklistProgress',
      type: 'object',
      required: ['total', 'done'],
      properties: { total: count, done: count },
      additionalProperties: false,
    },
  },
  description: 'Items of all checklists.',
  initial: null,
  present: (_value, { checklistItemsTotal: total, checklistItemsDone: done }) => ({
    '': { total, done },
  }),
}

/** A number behind `checklistProgress`; internal. */
export const checklistCounter: Field<number> = { column: 'integer', output: {}, initial: 0, present: () => ({}) }
