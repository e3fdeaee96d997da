import { contactDataFields } from './contact-data-fields.ts'
import type { FieldDefinition } from './field.ts'

/** The fields of companies. */
export const companyFields: readonly FieldDefinition[] = [
  {
    path: 'name',
    widget: 'text',
    max: 300,
    required: true,
    form: 'both',
    column: { width: 220, shown: true, order: 'name', inline: true },
  },
  { path: 'legalName', widget: 'text', max: 300, form: 'both', column: { width: 200, inline: true } },
  { path: 'industry', widget: 'text', max: 100, form: 'both', column: { width: 150, shown: true, inline: true } },
  { path: 'employeesCount', widget: 'integer', max: 10_000_000, form: 'edit', column: { width: 110, inline: true } },
  {
    path: 'taxId',
    widget: 'text',
    max: 32,
    pattern: /^[0-9A-Za-z-]+$/u,
    form: 'edit',
    column: { width: 130, inline: true },
  },
  { path: 'registrationNumber', widget: 'text', max: 32, form: 'edit', column: { width: 150, inline: true } },
  { path: 'websites', widget: 'websites', max: 10, form: 'both', column: { width: 190 } },
  ...contactDataFields,
  { path: 'tagIds', widget: 'tags', scope: 'crm_tags_read', column: { width: 210, shown: true } },
  { path: 'ownerUuid', widget: 'operator', form: 'both', column: { width: 150, shown: true } },
  { path: 'source', widget: 'text', max: 100, form: 'both', column: { width: 120, inline: true } },
  { path: 'description', widget: 'long-text', max: 10_000, form: 'both' },
  { path: 'externalId', widget: 'external-id', column: { width: 140 } },
  { path: 'createdAt', widget: 'moment', column: { width: 110, order: 'createdAt' } },
  { path: 'updatedAt', widget: 'moment', column: { width: 110, shown: true, order: 'updatedAt' } },
]
