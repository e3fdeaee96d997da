import type { FoundBy } from '../../../kernel/index.ts'
import {
  isObject,
  type JsonObject,
  phoneCountries,
  phoneWord,
  phoneWords,
  searchForm,
  toE164,
} from '../../../kernel/schema/index.ts'
import type { MatchKey } from '../dedup-policy.ts'

const taxId: FoundBy = { field: 'taxId' }
const ofPerson: FoundBy = { named: ['firstName', 'lastName'] }
/** How a company is looked for by its name. */
export const ofCompany: FoundBy = { named: ['name'] }

/** The kernel's search for records of a kind with a value; undefined for values that are keys. */
export function lookupOf(by: MatchKey, kind: string): FoundBy | undefined {
  if (by === 'email' || by === 'phone') return 'reached'
  if (by === 'taxId') return taxId
  if (by !== 'name') return undefined
  return kind === 'company' ? ofCompany : ofPerson
}

/** One value that identifies records. */
export interface MatchValue {
  readonly by: MatchKey
  /** Normalized for comparison. */
  readonly text: string
  /** In the form in which the kernel searches for it. */
  readonly wanted: readonly string[]
}

/**
 * The values of a request for a record with which a search finds it. E-mail addresses compare without case; phones by their international
 * form or, if they have none, by their characters without case, spaces and accents; names of people as last and first name. Numbers without
 * a country code belong to the country of the record's address, or else to this one.
 */
export function matchValuesOf(record: JsonObject, by: readonly MatchKey[], country: string): MatchValue[] {
  return by.flatMap(key => valuesOf(key, record, country).filter(({ text }) => text !== ''))
}

/**
 * The values with which a record is found: the same, and its phones as typed, because a row may have no address that determines the
 * country.
 */
export function heldValuesOf(record: JsonObject, by: readonly MatchKey[], country: string): MatchValue[] {
  const typed = by.includes('phone') ? listOf(record, 'phones').map(text => phoneValue(text, [])) : []
  return [...matchValuesOf(record, by, country), ...typed.filter(({ text }) => text !== '')]
}

function valuesOf(by: MatchKey, record: JsonObject, country: string): MatchValue[] {
  if (by === 'email') return listOf(record, 'emails').map(text => ({ by, text: text.toLowerCase(), wanted: [text] }))
  if (by === 'phone') {
    const countries = phoneCountries(record.contactData, country)
    return listOf(record, 'phones').map(text => phoneValue(text, countries))
  }
  const text = by === 'name' ? nameOf(record) : record[by === 'uuid' ? 'id' : by]
  if (typeof text !== 'string') return []
  if (by === 'uuid') return [{ by, text: text.toLowerCase(), wanted: [] }]
  return [{ by, text: by === 'name' ? searchForm(text) : text, wanted: [text] }]
}

function phoneValue(text: string, countries: readonly string[]): MatchValue {
  const e164 = toE164(text, countries)
  return { by: 'phone', text: e164 ?? phoneWord(text), wanted: phoneWords(text, e164) }
}

function listOf({ contactData }: JsonObject, list: 'emails' | 'phones'): string[] {
  const items = isObject(contactData) ? contactData[list] : []
  return Array.isArray(items) ? items.filter(isObject).map(({ value }) => String(value).trim()) : []
}

/** The name of a company; the first and last name of a person, if it has both. */
function nameOf({ name, firstName, lastName }: JsonObject): string | null {
  if (typeof name === 'string') return name
  return typeof firstName === 'string' && typeof lastName === 'string' ? `${lastName} ${firstName}` : null
}
