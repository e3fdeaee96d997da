import { defineResource } from '../../kernel/index.ts'
import {
  byLink,
  contactData,
  customFields,
  optionalInteger,
  optionalOperator,
  optionalText,
  requiredText,
  sorted,
  tagIds,
  websites,
} from '../../kernel/schema/index.ts'

/** An organization that the users do business with (contract section 6.2). */
export const company = defineResource({
  kind: 'company',
  plural: 'companies',
  title: 'Company',
  scopes: { read: 'crm_companies_read', write: 'crm_companies_write', delete: 'crm_companies_delete' },
  hit: { title: 'name', subtitle: 'industry', isSubtitleSearched: true },
  fields: {
    name: sorted(requiredText({ max: 300, searched: true, example: 'Northwind Traders' })),
    legalName: optionalText({
      max: 300,
      searched: true,
      example: 'Northwind Traders Ltd',
      description: 'The name in the commercial register.',
    }),
    taxId: optionalText({
      max: 32,
      pattern: '^[0-9A-Za-z-]+$',
      description: 'The number for taxes, such as a VAT number; not checked for uniqueness.',
    }),
    registrationNumber: optionalText({ max: 32, description: 'The number in the commercial register.' }),
    industry: optionalText({
      max: 100,
      example: 'Retail',
      description: 'What business it is in, in words of your own.',
    }),
    employeesCount: optionalInteger({
      minimum: 0,
      maximum: 10_000_000,
      example: 250,
      description: 'How many people work there.',
    }),
    websites: websites({ most: 10, description: 'Its addresses in the web.' }),
    description: optionalText({ max: 10_000, keepSpace: true }),
    source: optionalText({ max: 100, description: 'Where the company came from, in words of your own.' }),
    ownerUuid: optionalOperator(
      'The operator who looks after the company: one of directories.operators.',
      'Owned by this operator',
    ),
    contactData: contactData({ birthDate: false }),
    customFields: customFields(),
    tagIds: tagIds(),
  },
  filters: {
    contactId: byLink(
      { table: 'company_contacts', ownerColumn: 'company_id', targetColumn: 'contact_id' },
      'crm_contacts_read',
      'Linked with this contact',
    ),
  },
})
