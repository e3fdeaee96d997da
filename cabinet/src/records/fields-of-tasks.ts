import type { FieldDefinition } from './field.ts'
import type { JsonObject } from './record.ts'

/** The fields of tasks. */
export const taskFields: readonly FieldDefinition[] = [
  {
    path: 'title',
    widget: 'text',
    max: 500,
    required: true,
    form: 'both',
    column: { width: 280, shown: true, order: 'title', inline: true },
  },
  {
    path: 'type',
    widget: 'choice',
    required: true,
    choices: ['todo', 'call', 'email', 'meeting', 'other'],
    form: 'both',
    column: { width: 100 },
  },
  {
    path: 'status',
    widget: 'choice',
    required: true,
    choices: ['todo', 'in_progress', 'done', 'canceled'],
    form: 'both',
    column: { width: 120, shown: true },
  },
  {
    path: 'priority',
    widget: 'choice',
    required: true,
    choices: ['low', 'medium', 'high', 'urgent'],
    form: 'both',
    column: { width: 100, shown: true },
  },
  { path: 'dueDate', widget: 'due', form: 'both', column: { width: 130, shown: true, order: 'dueDate', inline: true } },
  { path: 'startAt', widget: 'moment', form: 'edit' },
  { path: 'completedAt', widget: 'moment' },
  { path: 'assigneeUuid', widget: 'operator', form: 'both', column: { width: 150, shown: true } },
  { path: 'contactId', widget: 'reference', of: 'contacts', sentAs: 'contact', form: 'both' },
  { path: 'companyId', widget: 'reference', of: 'companies', sentAs: 'company', form: 'both' },
  { path: 'dealId', widget: 'reference', of: 'deals', sentAs: 'deal', form: 'both' },
  { path: 'tagIds', widget: 'tags', scope: 'crm_tags_read', column: { width: 210 } },
  { path: 'description', widget: 'long-text', max: 10_000, form: 'both' },
  { path: 'externalId', widget: 'external-id', column: { width: 140 } },
  { path: 'createdAt', widget: 'moment', column: { width: 110, order: 'createdAt' } },
  { path: 'updatedAt', widget: 'moment', column: { width: 110, shown: true, order: 'updatedAt' } },
]

/** The status that completes a task, or opens it again. */
export function otherStatus({ status }: JsonObject): 'done' | 'todo' {
  return status === 'done' ? 'todo' : 'done'
}
