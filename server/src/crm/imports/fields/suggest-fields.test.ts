import { describe, expect, it } from 'vitest'
import { type ListedFile, listedFiles } from '../../../../../test/conformance/support/exports/listed.ts'
import { aConfiguration } from '../../../../../test/support/decisions.ts'
import { bounds } from '../../../kernel/index.ts'
import { nestedResources, resources } from '../../../modules.ts'
import { detectType } from '../reading/detected-type.ts'
import type { EntityType } from './entity-types.ts'
import { fieldsOf } from './import-fields.ts'
import { suggestFields } from './suggest-fields.ts'

const context = {
  configuration: aConfiguration(),
  tags: new Map<string, string>(),
  kinds: { resources, nestedResources },
}

/** The fields that are suggested for columns with these headers and values. */
function suggested(type: EntityType, columns: readonly (readonly [header: string, ...cells: string[]])[]) {
  const surveyed = columns.map(([name, ...cells], index) => {
    const samples = cells.filter(cell => cell !== '')
    return { index, name, samples, detectedType: detectType(samples), suggestedDateFormat: null }
  })
  const found = suggestFields(type, surveyed, fieldsOf(type, context))
  return columns.map((_, index) => found.get(index) ?? null)
}

/** The field that is suggested for the only column of a file. */
function fieldOf(header: string, type: EntityType = 'contacts', ...cells: string[]) {
  return suggested(type, [[header, ...cells]])[0]
}

interface Compared {
  readonly mappable: number
  readonly right: number
  readonly wrong: readonly string[]
}

function compare(files: readonly ListedFile[]): Compared {
  const compared = files.flatMap(({ product, entityType, columns }) => {
    const fields = suggested(
      entityType,
      columns.map(({ header, cell }) => [header, cell] as const),
    )
    return columns.map(({ header, field }, index) => ({
      column: `${product}: ${header} is ${field}, suggested ${fields[index]}`,
      field,
      found: fields[index],
    }))
  })
  return {
    mappable: compared.filter(({ field }) => field !== null).length,
    right: compared.filter(({ field, found }) => field !== null && field === found).length,
    wrong: compared.filter(({ field, found }) => found !== null && found !== field).map(({ column }) => column),
  }
}

// The fields were decided by hand before. The lists in `held-out` were written last: they measure files that nobody had in mind.
describe('for files of other products', () => {
  it.each(['english', 'german', 'russian', 'held-out'])(
    'at least 95 percent of the suggestions are right and none is wrong: %s',
    list => {
      const { mappable, right, wrong } = compare(listedFiles(list))
      expect(wrong).toEqual([])
      expect(mappable).toBeGreaterThan(50)
      expect(right / mappable).toBeGreaterThanOrEqual(0.95)
    },
  )
})

describe('a header is understood', () => {
  it.each([
    ['BILLINGSTREET', 'address.line1'],
    ['Emails 1 Email', 'email1'],
    ['province/state', 'address.region'],
    ['EmailID', 'email1'],
    ['Birth Date', 'birthDate'],
    ['address_line_2', 'address.line2'],
    ['contact_first_name', 'firstName'],
    ['E-mail 1 - Value', 'email1'],
    ['PersonMailingCity', 'address.city'],
    ['Phone (Work)', 'phone1'],
    ['Account Name', 'companyName'],
    ['organisation', 'companyName'],
    ['ZIP/Postal Code', 'address.postalCode'],
    ['FirstName__c', 'firstName'],
    ['properties.firstname', 'firstName'],
    ['Geschäftstelefonnummer', 'phone1'],
    ['STRASSE', 'address.line1'],
    ['Улица 2 (раб. адрес)', 'address.line2'],
    ['Prénom', 'firstName'],
    ['Correo electrónico', 'email1'],
  ])('in any spelling: %s', (header, field) => {
    expect(fieldOf(header)).toBe(field)
  })

  it.each([
    'Last Contact',
    'First Contact Date',
    'Assistant Phone',
    'Phone 1 - Label',
    'E-mail Display Name',
    'Company Phone',
    'Account ID',
    'Deal Name',
    'Email Opt Out',
    'Street 3',
    'Job Title 2',
    'Fax',
    'Bank Details',
    'x'.repeat(32_768),
  ])('only if every word is: %.20s', header => {
    expect(fieldOf(header)).toBeNull()
  })

  it('by what its rows are about', () => {
    expect(fieldOf('Account Name', 'companies')).toBe('name')
    expect(fieldOf('Company Phone', 'companies')).toBe('phone1')
    expect(fieldOf('Contact Name', 'companies')).toBeNull()
    expect(fieldOf('Contact ID', 'deal_contacts')).toBe('contactUuid')
    expect(fieldOf('Contact ID', 'deal_contacts', '4711')).toBe('contactExternalId')
    expect(fieldOf('Contact', 'deal_contacts', 'Anna')).toBeNull()
  })

  it('but its values decide whether the field can have them', () => {
    expect(fieldOf('Email', 'contacts', 'yes', 'no')).toBeNull()
    expect(fieldOf('Email', 'contacts', 'none', 'ann@example.com')).toBe('email1')
    expect(fieldOf('Emails', 'contacts', '["ann@example.com"]')).toBeNull()
    expect(fieldOf('Phone', 'contacts', '2024-02-03')).toBeNull()
    expect(fieldOf('Title', 'contacts', 'Dr.', 'Prof. Dr.')).toBeNull()
    expect(fieldOf('Title', 'contacts', 'Dr.', 'Head of sales')).toBe('jobTitle')
  })
})

describe('of several columns for a field', () => {
  it('those that have values are the first, then the primary before others', () => {
    const phones = ['Other Phone', 'Work Phone', 'Primary Phone', 'Home Phone'].map(header => [header] as const)
    expect(suggested('contacts', phones)).toEqual([null, 'phone2', 'phone1', 'phone3'])
    expect(suggested('contacts', [...phones.slice(1), ['Other Phone', '+1 202 555 0143']])).toEqual([
      'phone3',
      'phone2',
      null,
      'phone1',
    ])
  })

  it('the one that names the subject of the rows is the first', () => {
    expect(suggested('contacts', [['ID'], ['Lead ID'], ['Contact ID']])).toEqual([null, null, 'externalId'])
  })

  it('the parts of one address are not mixed with those of another', () => {
    const headers = ['Billing Street', 'Mailing City', 'Mailing Street', 'Mailing Zip', 'Billing Country', 'Country']
    const columns = headers.map(header => [header] as const)
    const mailing = [null, 'address.city', 'address.line1', 'address.postalCode', null, 'address.country']
    expect(suggested('contacts', columns)).toEqual(mailing)
    const filled = columns.map(([header]) => [header, header.startsWith('Billing') ? 'x' : ''] as const)
    expect(suggested('contacts', filled)).toEqual(['address.line1', null, null, null, 'address.country', null])
  })
})

describe('where a header says nothing, values decide', () => {
  const mail = 'ann@example.com'

  it.each(['', 'Column 1', 'Value', 'Contact', 'Unnamed: 3', 'Sähköposti'])('of addresses: %s', header => {
    expect(fieldOf(header, 'contacts', mail)).toBe('email1')
  })

  it('of phone numbers and websites that are certainly such', () => {
    expect(fieldOf('Work', 'contacts', '+49 30 1234567')).toBe('phone1')
    expect(fieldOf('', 'contacts', '(202) 555-0143')).toBe('phone1')
    expect(fieldOf('', 'contacts', '7707083893')).toBeNull()
    expect(fieldOf('', 'contacts', '123-45-6789')).toBeNull()
    expect(fieldOf('', 'companies', 'https://example.com')).toBe('website1')
  })

  it('and take the next free field', () => {
    const columns = [['Email'], ['Column 2', mail], ['Column 3', 'b@example.com']] as const
    expect(suggested('contacts', columns)).toEqual(['email1', 'email2', 'email3'])
  })

  it('but not among several, where some could be about others', () => {
    expect(fieldOf('Assistant', 'contacts', mail)).toBeNull()
    expect(fieldOf('Created by', 'contacts', mail)).toBeNull()
    expect(suggested('contacts', [['Email'], ['Xyzzy', mail]])).toEqual(['email1', null])
    expect(
      suggested('contacts', [
        ['Xyzzy', mail],
        ['Plugh', mail],
      ]),
    ).toEqual([null, null])
    expect(
      suggested('contacts', [
        ['Correio 1', mail],
        ['Correio 2', mail],
      ]),
    ).toEqual(['email1', 'email2'])
  })
})

describe('a column of full names', () => {
  it.each([
    'Name',
    'Full Name',
    'Contact Name',
    'Ansprechpartner',
    'ФИО',
    'Nom complet',
    'Last Name, First Name',
    'Name, Vorname',
  ])('is suggested for a contact: %s', header => {
    expect(fieldOf(header)).toBe('fullName')
  })

  it('is not suggested beside first and last names, which would be used instead', () => {
    expect(suggested('contacts', [['fullName'], ['First Name'], ['Last Name']])).toEqual([
      null,
      'firstName',
      'lastName',
    ])
    expect(suggested('contacts', [['ФИО'], ['Имя'], ['Фамилия']])).toEqual([null, 'firstName', 'lastName'])
    expect(suggested('contacts', [['Full Name'], ['First Name']])).toEqual(['fullName', null])
  })

  it('has the last names if it is only called a name and first names are beside it', () => {
    expect(suggested('contacts', [['Name'], ['Vorname']])).toEqual(['lastName', 'firstName'])
  })

  it('may have a word for first names', () => {
    expect(fieldOf('Имя', 'contacts', 'Анна')).toBe('firstName')
    expect(fieldOf('Имя', 'contacts', 'Анна Петрова')).toBe('fullName')
  })
})

describe('a field of the organization', () => {
  it('is recognized by its key and its label before all others', () => {
    const field = {
      key: 'colour',
      label: 'Title',
      type: 'text',
      options: [],
      required: false,
      kind: 'contact',
    } as const
    const configuration = aConfiguration({ customFields: new Map([['contact', [field]]]) })
    const survey = (name: string, index: number) =>
      ({ name, index, samples: [], detectedType: 'empty', suggestedDateFormat: null }) as const
    const columns = ['TITLE', 'Job Title', 'custom.Colour'].map(survey)
    const fields = fieldsOf('contacts', { ...context, configuration })
    expect([...suggestFields('contacts', columns.slice(0, 2), fields)]).toEqual([
      [0, 'custom.colour'],
      [1, 'jobTitle'],
    ])
    expect(suggestFields('contacts', columns, fields).get(2)).toBe('custom.colour')
  })
})

it('as many and as long headers as a file can have get no suggestions', () => {
  const headers = Array.from(
    { length: bounds.importColumns.most },
    (_, index) => [`${'telefon'.repeat(28)}${index}`] as const,
  )
  expect(suggested('contacts', headers).every(field => field === null)).toBe(true)
  const long = [[`Person${' '.repeat(bounds.importCell.most - 10)}Name`]] as const
  expect(suggested('contacts', long)).toEqual([null])
})
