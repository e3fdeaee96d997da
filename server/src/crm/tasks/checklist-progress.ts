import type { Field } from '../../kernel/schema/index.ts'

const count = { type: 'integer', minimum: 0 }

/** The number of checklist items of a task, and of those that are done. */
export const checklistProgress: Field<null> = {
  output: {
    '': {
      component: 'ChecklistProgress',
      type: 'object',
      required: ['total', 'done'],
      properties: {
        total: { ...count, description: 'How many items there are.' },
        done: { ...count, description: 'How many of them are done.' },
      },
      additionalProperties: false,
    },
  },
  description: 'Items of all checklists.',
  initial: null,
  present: (_value, { checklistItemsTotal: total, checklistItemsDone: done }) => ({
    '': { total, done },
  }),
}

/** Internal: one of the two numbers of `checklistProgress`. */
export const checklistCounter: Field<number> = { column: 'integer', output: {}, initial: 0, present: () => ({}) }
