import type { FieldDefinition } from './field.ts'

const amounts = { scope: 'crm_amounts_read', writeScope: 'crm_amounts_write' }

/** The fields of deals. */
export const dealFields: readonly FieldDefinition[] = [
  {
    path: 'title',
    widget: 'text',
    max: 500,
    required: true,
    form: 'both',
    column: { width: 260, shown: true, order: 'title', inline: true },
  },
  {
    path: 'amount',
    widget: 'amount',
    ...amounts,
    pattern: /^(0|[1-9]\d{0,14})(\.\d{1,6})?$/u,
    form: 'both',
    column: { width: 140, shown: true, order: 'amount', inline: true },
  },
  { path: 'currency', widget: 'currency', writeScope: 'crm_amounts_write', form: 'both' },
  { path: 'stageUuid', widget: 'stage', form: 'create', column: { width: 140, shown: true } },
  { path: 'status', widget: 'choice', choices: ['open', 'won', 'lost'], column: { width: 90 } },
  { path: 'lostReasonCategoryUuid', widget: 'lost-reason' },
  { path: 'lostReasonComment', widget: 'text' },
  {
    path: 'priority',
    widget: 'choice',
    choices: ['low', 'medium', 'high', 'urgent'],
    form: 'both',
    column: { width: 100, shown: true },
  },
  {
    path: 'expectedCloseDate',
    widget: 'date',
    form: 'both',
    column: { width: 130, shown: true, order: 'expectedCloseDate', inline: true },
  },
  { path: 'companyIds', widget: 'references', of: 'companies', sentAs: 'companies', max: 50, form: 'both' },
  { path: 'contactIds', widget: 'references', of: 'contacts', sentAs: 'contacts', max: 50, form: 'both' },
  { path: 'tagIds', widget: 'tags', scope: 'crm_tags_read', column: { width: 210 } },
  { path: 'ownerUuid', widget: 'operator', form: 'both', column: { width: 150, shown: true } },
  { path: 'itemsTotal', widget: 'amount', scope: 'crm_amounts_read' },
  { path: 'description', widget: 'long-text', max: 10_000, form: 'both' },
  { path: 'externalId', widget: 'external-id', column: { width: 140 } },
  { path: 'stageChangedAt', widget: 'moment' },
  { path: 'closedAt', widget: 'moment' },
  { path: 'createdAt', widget: 'moment', column: { width: 110, order: 'createdAt' } },
  { path: 'updatedAt', widget: 'moment', column: { width: 110, shown: true, order: 'updatedAt' } },
]
