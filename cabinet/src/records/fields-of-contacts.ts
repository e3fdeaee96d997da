import { contactDataFields } from './contact-data-fields.ts'
import type { FieldDefinition } from './field.ts'

/** The fields of contacts. */
export const contactFields: readonly FieldDefinition[] = [
  { path: 'displayName', widget: 'text', column: { width: 220, shown: true, order: 'name' } },
  { path: 'firstName', widget: 'text', max: 100, form: 'both', column: { width: 140, inline: true } },
  { path: 'middleName', widget: 'text', max: 100, form: 'edit', column: { width: 140, inline: true } },
  { path: 'lastName', widget: 'text', max: 100, form: 'both', column: { width: 140, inline: true } },
  { path: 'jobTitle', widget: 'text', max: 200, form: 'both', column: { width: 190, shown: true, inline: true } },
  ...contactDataFields,
  {
    path: 'contactData.birthDate',
    widget: 'date',
    scope: 'crm_contact_data_read',
    writeScope: 'crm_contact_data_write',
    form: 'edit',
  },
  { path: 'tagIds', widget: 'tags', scope: 'crm_tags_read', column: { width: 210, shown: true } },
  { path: 'ownerUuid', widget: 'operator', form: 'both', column: { width: 150, shown: true } },
  { path: 'source', widget: 'text', max: 100, form: 'both', column: { width: 120, inline: true } },
  { path: 'description', widget: 'long-text', max: 10_000, form: 'both' },
  { path: 'externalId', widget: 'external-id', column: { width: 140 } },
  { path: 'createdAt', widget: 'moment', column: { width: 110, order: 'createdAt' } },
  { path: 'updatedAt', widget: 'moment', column: { width: 110, shown: true, order: 'updatedAt' } },
]
