import type { EntityType } from './entity-types.ts'
import type { ReadHeader } from './read-header.ts'
import type { Meaning } from './words/meaning.ts'

/** What a column is for, as far as its header says. */
export interface HeaderTarget {
  /** A field, or what `fieldsOfTarget` and `suggestNames` find the field of. */
  readonly target: string
  /** The part of an address belongs with the parts that have the same set. */
  readonly set: string
  /** What comes first among columns for the same target; smaller is better. */
  readonly rank: readonly number[]
}

/**
 * The meanings that a header for each target has, apart from the subject of the rows and the kind of the value, with commas between them: the
 * best come first, and `|` joins those that are equally good. `=` means that the header says this and nothing else.
 */
type Patterns = Readonly<Record<string, string>>

const reach: Patterns = {
  phone: 'mobile | mobile phone | mobile number | mobile phone number, phone | phone number',
  email: 'email | email address | email id',
}

const addressParts: Patterns = {
  'address.line1': `address street, street, house street, number street, address line, line street, address line street, address house street,
    address, address full`,
  'address.line2': 'extra, address extra, extra number, address extra number, extra street, extra line',
  'address.city': 'city, address city, city name',
  'address.region': 'region, address region, region name, id name region, code region',
  'address.postalCode': `postalCode, address postalCode, address code postalCode, code postalCode, =billing code,
    =mailing code, =shipping code, =code other`,
  'address.country':
    'country, country region, address country, address country region, country name, country id name, code country',
}

const common: Patterns = {
  description: 'notes, =details',
  source: 'source',
  tags: 'tags, name tags',
  externalId: 'id, external id | external | external number | code external',
}

const ofContacts: Patterns = {
  ...reach,
  ...addressParts,
  ...common,
  none: '=lead name, =full lead name',
  firstName: 'firstName, firstName name, given firstName, =first, =first name',
  middleName: 'middleName, middleName name',
  lastName: 'lastName, lastName name, given lastName name, =last, =last name',
  given: 'given',
  fullName: `fullName, full name, full given, lastFirstName, firstName lastName, given lastName, first last, first lastName,
    first last name, firstName lastName middleName, given lastName middleName, firstName lastName name, =contactPerson`,
  name: 'name',
  companyName: 'company name, company given, company',
  jobTitle: 'jobTitle, jobTitle name, company jobTitle, title, company title',
  birthDate: 'birthday',
  ownerEmail: 'email owner, owner, name owner',
}

const ofCompanies: Patterns = {
  ...reach,
  ...addressParts,
  ...common,
  website: 'website | address website | name website, domain | domain name | domain website',
  name: 'name, given, =company',
  legalName: 'legal, legal name, given legal',
  taxId: 'id tax, number tax, id number tax, tax',
  registrationNumber: 'registration, number registration, id registration',
  industry: 'industry, industry name',
  employeesCount: 'employees, employees number',
}

const ofLinks: Patterns = {
  dealUuid: '=deal id, =deal',
  company: '=company id',
  companyUuid: '=company',
  contact: '=id person',
  contactUuid: '=person',
  companyExternalId: '=company external id',
  contactExternalId: '=external id person',
  role: 'title, jobTitle',
  isPrimary: '=primary',
}

/** How the headers of a type are read. */
interface Reading {
  readonly patterns: ReadonlyMap<string, Pick<HeaderTarget, 'target'> & { readonly order: number }>
  /** The words for the subject of the rows, which every header may contain. */
  readonly own: readonly Meaning[]
}

const links = readingOf(ofLinks, [])
const readings: Readonly<Record<EntityType, Reading>> = {
  contacts: readingOf(ofContacts, ['person', 'contactPerson', 'customer', 'lead']),
  companies: readingOf(ofCompanies, ['company', 'customer']),
  company_contacts: links,
  deal_contacts: links,
  deal_companies: links,
}

function readingOf(patterns: Patterns, own: readonly Meaning[]): Reading {
  const listed = Object.entries(patterns).flatMap(([target, texts]) =>
    texts
      .split(',')
      .flatMap((equal, order) =>
        equal.split('|').map(text => [sorted(text.trim().split(/\s+/u)), { target, order }] as const),
      ),
  )
  return { patterns: new Map(listed), own }
}

/** The order of meanings decides nothing. An equals sign stays the first. */
function sorted(words: readonly string[]): string {
  const [first = '', ...others] = words
  const isExact = first.startsWith('=')
  return `${isExact ? '=' : ''}${[isExact ? first.slice(1) : first, ...others].toSorted().join(' ')}`
}

/** Which of several values a header means, the best first. `null` stands for none of these words. */
const kinds = [
  'primary',
  null,
  'mailing',
  'mailAddress',
  'billing',
  'legal',
  'work',
  'home',
  'other',
  'shipping',
] as const

const kindsOfReach: readonly Meaning[] = ['primary', 'work', 'home', 'other', 'value']
const kindsOfAddress: readonly Meaning[] = [...kindsOfReach, 'mailing', 'mailAddress', 'billing', 'legal', 'shipping']
const kindsOfNames: readonly Meaning[] = ['primary']

/** A column called `Contact ID` is better than one called `ID` or `Lead ID`. */
const subjects: readonly Meaning[] = ['person', 'contactPerson', 'company']

/** What a column with this header is for, in a file with rows of this type; null if the header does not say it. */
export function targetOf(header: ReadHeader, type: EntityType): HeaderTarget | null {
  if (!header.isUnderstood) return null
  const { patterns, own } = readings[type]
  const said = [...header.meanings]
  const others = said.filter(meaning => !own.includes(meaning))
  const core = others.filter(meaning => !kindsOfAddress.includes(meaning))
  const exact = patterns.get(`=${sorted(said)}`) ?? patterns.get(sorted(others))
  const found = exact ?? patterns.get(sorted(core))
  if (found === undefined) return null
  const target = found.target === 'address.line1' && header.line === 2 ? 'address.line2' : found.target
  const chosen = exact === undefined ? said.filter(meaning => kindsOfAddress.includes(meaning)) : []
  const allowed = kindsOf(target)
  if (header.line > 2 || chosen.some(kind => !allowed.includes(kind))) return null
  if (header.number > 1 && allowed === kindsOfNames) return null
  const kind = kinds.findIndex(each => (each === null ? chosen.every(one => one === 'value') : chosen.includes(each)))
  return {
    target,
    set: [...chosen.filter(each => each !== 'value').toSorted(), header.number].join(' '),
    rank: [found.order, kind, said.some(meaning => subjects.includes(meaning)) ? 0 : 1, header.number],
  }
}

function kindsOf(target: string): readonly Meaning[] {
  if (target.startsWith('address.')) return kindsOfAddress
  return Object.hasOwn(reach, target) || target === 'website' ? kindsOfReach : kindsOfNames
}

const vague: readonly Meaning[] = [...kindsOfReach, 'number', 'mailAddress']

/** Whether a header says nothing about its values, such as `Column 1`, `Value`, `Contact`, and `Work`. */
export function isSilent({ isUnderstood, meanings: said }: ReadHeader, type: EntityType): boolean {
  const { own } = readings[type]
  return isUnderstood && [...said].every(meaning => own.includes(meaning) || vague.includes(meaning))
}
