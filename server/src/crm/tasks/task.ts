import { defineResource } from '../../kernel/index.ts'
import {
  byDateOrTime,
  choice,
  chosenBy,
  computed,
  customFields,
  type Field,
  isDate,
  isLater,
  optionalDateTime,
  optionalOperator,
  optionalReference,
  optionalText,
  requiredText,
  sorted,
  tagIds,
  toUtc,
} from '../../kernel/schema/index.ts'
import { company } from '../companies/index.ts'
import { contact } from '../contacts/index.ts'
import { deal } from '../deals/index.ts'
import { reflectChecklists } from './checklist.rules.ts'
import { taskRules } from './task.rules.ts'

const count = { type: 'integer', minimum: 0 }

/** The number of checklist items of a task, and of those that are done. */
const checklistProgress: Field<null> = {
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
const checklistCounter: Field<number> = { column: 'integer', output: {}, initial: 0, present: () => ({}) }

/** A date or a timestamp, stored and shown in the precision of the request (contract section 6.4). */
const dueDate: Field<string | null> = {
  column: 'text',
  input: { type: ['string', 'null'], format: 'date-or-date-time' },
  description: 'A date or a timestamp. A bare date is due at the end of that day in the time zone of the organization.',
  example: '2026-03-31',
  initial: null,
  filters: byDateOrTime('due', 'Due'),
  order: { type: 'text', isNullable: true },
  accept(value) {
    if (typeof value !== 'string') return null
    return isDate(value) ? value : toUtc(value)
  },
}

/** Computed and never stored, because it changes as time passes. */
const isOverdue: Field<null> = {
  output: { '': { type: 'boolean' } },
  description: 'Whether the task is still to do after its due date.',
  initial: null,
  present(_value, { status, dueDate }, { organization, now }) {
    const isClosed = status === 'done' || status === 'canceled'
    return { '': !isClosed && typeof dueDate === 'string' && isLater(now, dueDate, organization.timeZone) }
  },
}

/** Something that a person has to do by a certain time (contract section 6.4). */
export const task = defineResource({
  kind: 'task',
  plural: 'tasks',
  title: 'Task',
  scopes: { read: 'crm_tasks_read', write: 'crm_tasks_write', delete: 'crm_tasks_delete' },
  hit: { title: 'title', subtitle: 'status' },
  fields: {
    title: sorted(requiredText({ max: 500, searched: true, example: 'Call about the chairs' })),
    description: optionalText({ max: 10_000, keepSpace: true }),
    type: choice(['todo', 'call', 'email', 'meeting', 'other'], {
      component: 'TaskType',
      initial: 'todo',
      description: 'todo unless given on create.',
    }),
    status: chosenBy(
      choice(['todo', 'in_progress', 'done', 'canceled'], {
        component: 'TaskStatus',
        initial: 'todo',
        description: 'todo unless given on create; any status may follow any other.',
      }),
      'With this status',
    ),
    priority: chosenBy(
      choice(['low', 'medium', 'high', 'urgent'], {
        component: 'TaskPriority',
        initial: 'medium',
        example: 'medium',
        description: 'medium unless given on create.',
      }),
      'With this priority',
    ),
    assigneeUuid: optionalOperator(
      'The operator who is to do the task: one of directories.operators.',
      'Assigned to this operator',
    ),
    startAt: optionalDateTime({ description: 'Not after dueDate.' }),
    dueDate,
    completedAt: computed<string | null>(null, {
      column: 'timestamptz',
      schema: { type: ['string', 'null'], format: 'date-time' },
      description: 'Since when the task is done.',
    }),
    isOverdue,
    deal: optionalReference({
      to: deal,
      idMember: 'dealId',
      column: 'deal_id',
      description: 'The deal that the task is about.',
    }),
    contact: optionalReference({
      to: contact,
      idMember: 'contactId',
      column: 'contact_id',
      description: 'The contact that the task is about.',
    }),
    company: optionalReference({
      to: company,
      idMember: 'companyId',
      column: 'company_id',
      description: 'The company that the task is about.',
    }),
    checklistProgress,
    checklistItemsTotal: checklistCounter,
    checklistItemsDone: checklistCounter,
    filesCount: computed<number>(0, {
      column: 'integer',
      schema: { type: 'integer', minimum: 0 },
      description: 'Number of files.',
    }),
    customFields: customFields(),
    tagIds: tagIds(),
  },
  rules: { ...taskRules, reflect: reflectChecklists },
})
