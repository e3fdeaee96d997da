import type { EntityType } from './entity-types.ts'
import { companyHeaders, headersIn, personHeaders } from './own-headers.ts'
import { reachHeaders } from './reach-headers.ts'

const linkHeaders = {
  dealUuid: headersIn('deal id, deal uuid, deal, сделка'),
  companyUuid: headersIn('company id, company uuid, organization id, account id, компания'),
  contactUuid: headersIn('contact id, contact uuid, person id, контакт'),
  role: headersIn('role, job title, title, position, rolle, роль, должность'),
  isPrimary: headersIn('primary, is primary, main, primär, haupt, основной, основная'),
}

type Headers = readonly (readonly [target: string, headers: readonly string[]])[]

/**
 * The headers of each field, for rows of a type: those of Google Contacts before and since 2024, Outlook, HubSpot, Pipedrive, Salesforce,
 * Zoho, and tables converted from vCards, in English, German and Russian. They are in the form of `headerForm`. If several headers stand
 * for one field, the first is the best. `phone`, `email` and `website` stand for several fields in turn.
 */
export function headersOf(type: EntityType): Headers {
  if (type === 'contacts') return Object.entries({ ...personHeaders, ...reachHeaders })
  return Object.entries(type === 'companies' ? { ...companyHeaders, ...reachHeaders } : linkHeaders)
}

/** The prefix of column names in files with rows of a type, as in `Person - Name`; in the form of `headerForm`. */
const ownPrefixes: Readonly<Partial<Record<EntityType, readonly string[]>>> = {
  contacts: headersIn('person, contact, lead, kontakt, контактное лицо, контакт, человек'),
  companies: headersIn('organization, organisation, company, account, unternehmen, firma, организация, компания'),
}

const longestHeader = 200

/** The normal form of a header: lower case, # for each number, a single space for all punctuation. */
export function headerForm(name: string, type: EntityType): string {
  const words = wordsOf(name)
  // No known header is longer, and the search for the dash takes quadratic time.
  const [, before, behind] = /^(.+?)\s+[-–—]\s+(.+)$/u.exec(name.slice(0, longestHeader)) ?? []
  const isOwn = before !== undefined && ownPrefixes[type]?.includes(wordsOf(before)) === true
  return isOwn && behind !== undefined ? wordsOf(behind) : words
}

function wordsOf(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replaceAll(/\d+/gu, '#')
    .replaceAll(/[^\p{L}#]+/gu, ' ')
    .trim()
}
