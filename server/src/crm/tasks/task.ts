import { defineResource } from '../../kernel/index.ts'
import {
  choice,
  chosenBy,
  computed,
  customFields,
  optionalDateTime,
  optionalOperator,
  optionalReference,
  optionalText,
  requiredText,
  sorted,
  tagIds,
} from '../../kernel/schema/index.ts'
import { company } from '../companies/index.ts'
import { contact } from '../contacts/index.ts'
import { deal } from '../deals/index.ts'
import { reflectChecklists } from './checklist.rules.ts'
import { checklistCounter, checklistProgress } from './checklist-progress.ts'
import { dueDate, isOverdue } from './due-date.ts'
import { taskRules } from './task.rules.ts'

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
