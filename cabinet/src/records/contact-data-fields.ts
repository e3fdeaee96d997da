import type { FieldDefinition } from './field.ts'

const protectedBy = { scope: 'crm_contact_data_read', writeScope: 'crm_contact_data_write' }

/** What contacts and companies have in common: ways to reach them. */
export const contactDataFields: readonly FieldDefinition[] = [
  {
    path: 'contactData.emails',
    widget: 'emails',
    ...protectedBy,
    max: 20,
    form: 'both',
    column: { width: 220, shown: true },
  },
  {
    path: 'contactData.phones',
    widget: 'phones',
    ...protectedBy,
    max: 20,
    form: 'both',
    column: { width: 150, shown: true },
  },
  { path: 'contactData.addresses', widget: 'addresses', ...protectedBy, max: 10, form: 'edit' },
  { path: 'contactData.messengers', widget: 'messengers', ...protectedBy, max: 20, form: 'edit' },
]
