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

/** By how the kernel looks for records of a kind with a value; undefined for the values that are keys. */
export function lookupOf(by: MatchKey, kind: string): FoundBy | undefined {
  if (by === 'email' || by === 'phone') return 'reached'
  if (by === 'taxId') return taxId
  if (by !== 'name') return undefined
  return kind === 'company' ? ofCompany : ofPerson
}

/** One value by which records are told to be the same. */
export interface MatchValue {
  readonly by: MatchKey
  /** In the form in which values are compared. */
  readonly text: string
  /** In the form in which the kernel looks for them. */
  readonly wanted: readonly string[]
}

/**
 * The values of a request for a record by which one is looked for. Addresses compare without case, phones by their international form,
 * or without one by their characters but for case, spaces and accents, names of people as last and first name. Numbers without a country
 * code are those of the country of the record's address, or else of this one.
 */
export function matchValuesOf(record: JsonObject, by: readonly MatchKey[], country: string): MatchValue[] {
  return by.flatMap(key => valuesOf(key, record, country).filter(({ text }) => text !== ''))
}

/**
 * The values by which a record is found: the same, and its phones as they are typed, because a row may have no address that tells the
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

/** The name of a company; the first and last name of a person, if both are there. */
function nameOf({ name, firstName, lastName }: JsonObject): string | null {
  if (typeof name === 'string') return name
  return typeof firstName === 'string' && typeof lastName === 'string' ? `${lastName} ${firstName}` : null
}
