import { defineNested } from '../../kernel/index.ts'
import { optionalText, personal, placeInSet, uniqueReference } from '../../kernel/schema/index.ts'
import { contact } from '../contacts/index.ts'
import { company } from './company.ts'

/**
 * The link from a company to a contact (contract section 7). It belongs to the company, so a change raises the version
 * of the company and not that of the contact.
 */
export const companyContact = defineNested({
  kind: 'company_contact',
  plural: 'contacts',
  title: 'CompanyContact',
  table: 'company_contacts',
  parent: company,
  parentMember: 'companyId',
  parentParameter: 'id',
  part: 'contacts',
  most: 1000,
  order: 'place',
  // The field is readable only with the scope for contacts.
  moreScopes: { read: 'crm_contacts_read', write: 'crm_contacts_read' },
  fields: {
    contact: uniqueReference({
      to: contact,
      idMember: 'contactId',
      column: 'contact_id',
      description: 'The contact.',
    }),
    role: personal(
      optionalText({
        max: 100,
        example: 'Buyer',
        description: 'What the contact is to the company; nothing once the contact is anonymized.',
      }),
    ),
    position: placeInSet('The place among the contacts, from 0.'),
  },
})
