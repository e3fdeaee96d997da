import type { JsonObject } from '../../kernel/schema/index.ts'
import type { DemoConfiguration } from '../configure-demo.ts'
import { companyNames, domainOf } from './companies.ts'
import { pick } from './pick.ts'

const people = `
  Anna Petrova, Daniel Okafor, Sofia Marino, Lucas Meyer, Amara Diallo, Noah Fischer, Elena Castillo, James Whitfield,
  Ingrid Solberg, Ravi Menon, Chloe Dubois, Samuel Adeyemi, Marta Nowak, Owen Gallagher, Yuki Tanaka, Clara Jensen,
  Diego Herrera, Fatima Zahra, Peter Lindqvist, Grace Nakamura, Tomas Novak, Isabel Moreno, Henry Caldwell, Leila Haddad,
  Viktor Sokolov, Emma Larsen, Julien Laurent, Nina Kowalska, Oscar Bennett, Priya Sharma`
  .split(',')
  .map(name => name.trim().split(' '))

const jobTitles = ['Head of purchasing', 'Operations manager', 'Managing director', 'Office manager', 'Engineer']

export const contactsCount = people.length

export const contactKey = (position: number) => `demo-contact-${position + 1}`

/** Contact `n` works for company `n`, modulo the number of companies. */
export function sampleContacts({ operatorUuids }: DemoConfiguration): JsonObject[] {
  return people.map(([firstName = '', lastName = ''], position) => ({
    externalId: contactKey(position),
    firstName,
    lastName,
    jobTitle: pick(jobTitles, position),
    source: pick(['website', 'trade fair', 'referral', 'newsletter'], position),
    ownerUuid: pick(operatorUuids, position),
    contactData: {
      phones: [{ value: `+1 202 555 01${String(position).padStart(2, '0')}`, label: 'work' }],
      emails: [{ value: `${firstName}.${lastName}@${domainOf(position)}`.toLowerCase(), label: 'work' }],
      addresses: [{ city: pick(companyNames, position).city, country: pick(companyNames, position).country }],
    },
    customFields: { preferred_language: pick(['English', 'German', 'Spanish', 'French'], position) },
  }))
}
