import { defineResource } from '../../kernel/index.ts'
import {
  anonymizedAt,
  byLink,
  contactData,
  contactDataFilters,
  customFields,
  optionalOperator,
  optionalText,
  personal,
  tagIds,
} from '../../kernel/schema/index.ts'
import { contactRules, displayName } from './contact.rules.ts'

/** A person (contract section 6.1). */
export const contact = defineResource({
  kind: 'contact',
  plural: 'contacts',
  title: 'Contact',
  scopes: { read: 'crm_contacts_read', write: 'crm_contacts_write', delete: 'crm_contacts_delete' },
  hit: {
    title: 'displayName',
    subtitle: 'jobTitle',
    isSubtitleSearched: true,
    companies: { table: 'company_contacts', column: 'contact_id' },
  },
  fields: {
    displayName,
    firstName: personal(optionalText({ max: 100, searched: true, example: 'Anna' })),
    middleName: personal(optionalText({ max: 100, searched: true, example: null })),
    lastName: personal(optionalText({ max: 100, searched: true, example: 'Petrova' })),
    jobTitle: personal(
      optionalText({ max: 200, example: 'Head of purchasing', description: 'What the person does for a company.' }),
    ),
    description: personal(optionalText({ max: 10_000, keepSpace: true })),
    source: personal(
      optionalText({ max: 100, example: 'website', description: 'Where the contact came from, in words of your own.' }),
    ),
    ownerUuid: optionalOperator(
      'The operator who looks after the contact: one of directories.operators.',
      'Owned by this operator',
    ),
    contactData: { ...personal(contactData({ birthDate: true })), filters: contactDataFilters },
    customFields: personal(customFields()),
    tagIds: tagIds(),
    anonymizedAt,
  },
  filters: {
    companyId: byLink(
      { table: 'company_contacts', ownerColumn: 'contact_id', targetColumn: 'company_id' },
      'crm_companies_read',
      'Linked with this company',
    ),
  },
  rules: contactRules,
})
