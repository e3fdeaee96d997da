import { type Issue, type Refusal, violates } from '../../errors/index.ts'
import type { Field, MergedList, MergedMember } from '../field.ts'
import { canonicalJson, isObject, type JsonObject, type JsonSchema } from '../json.ts'
import { phoneDigits, phoneWords, searchForm, tidyText, visiblePattern } from '../text.ts'
import { contactDataColumns } from './contact-data-columns.ts'
import { phoneCountries, toE164, withE164 } from './phone-number.ts'

/** How a person or company can be reached: lists of plain objects, and the birth date of a person. */
export type ContactData = Readonly<Record<ListName, readonly JsonObject[]>> & { readonly birthDate?: string | null }

type ListName = 'phones' | 'emails' | 'addresses' | 'messengers'
const listNames: readonly ListName[] = ['phones', 'emails', 'addresses', 'messengers']

const addressParts = ['label', 'country', 'region', 'city', 'postalCode', 'line1', 'line2']

const addressText = (maxLength: number, description: string, example?: string) => ({
  description,
  type: ['string', 'null'],
  minLength: 1,
  maxLength,
  documented: { pattern: visiblePattern },
  ...(example === undefined ? {} : { example }),
})
const isPrimary = {
  type: 'boolean',
  example: true,
  description: 'Whether it comes first. It is the first of its list unless a request marks another one.',
}
const e164 = {
  type: ['string', 'null'],
  readOnly: true,
  example: '+12025550143',
  description:
    'Computed for the country of the address, or else of the organization; null when the number cannot be understood. Ignored in ' +
    'requests.',
}
const list = (
  component: string,
  description: string,
  maxItems: number,
  required: string[],
  properties: JsonSchema,
): JsonSchema => ({
  type: 'array',
  maxItems,
  description,
  items: { component, type: 'object', required, properties, additionalProperties: false },
})
const words = (component: string, ...enumerated: readonly string[]) => ({ component, type: 'string', enum: enumerated })

const lists: Readonly<Record<ListName, JsonSchema>> = {
  phones: list('Phone', 'Phone numbers, in the order of the request.', 20, ['value'], {
    value: {
      type: 'string',
      minLength: 3,
      maxLength: 40,
      // At least three characters, not counting outer spaces.
      documented: { pattern: '^[^\\x00]*[^\\s\\x00][^\\x00]+[^\\s\\x00][^\\x00]*$' },
      example: '+1 202 555 0143',
      description: 'The number, as it was written.',
    },
    e164,
    label: {
      ...words('PhoneLabel', 'mobile', 'work', 'home', 'fax', 'other'),
      description: 'What the number is for; mobile unless given.',
    },
    isPrimary,
  }),
  emails: list('Email', 'E-mail addresses, in the order of the request.', 20, ['value'], {
    value: {
      type: 'string',
      format: 'email',
      maxLength: 254,
      example: 'anna.petrova@example.com',
      description: 'The address.',
    },
    label: {
      ...words('EmailLabel', 'work', 'personal', 'other'),
      description: 'What the address is for; work unless given.',
    },
    isPrimary,
  }),
  addresses: list('Address', 'Postal addresses, in the order of the request.', 10, [], {
    label: addressText(200, 'What the address is for, in words of your own.'),
    country: { type: ['string', 'null'], format: 'country', example: 'US' },
    region: addressText(200, 'The state, province or region.'),
    city: addressText(200, 'The town or city.', 'Boston'),
    postalCode: addressText(32, 'The code of the postal service, such as a ZIP code.', '02110'),
    line1: addressText(200, 'Street and number.', '1 Main Street'),
    line2: addressText(200, 'What a second line has, such as a building or a floor.'),
    isPrimary,
  }),
  messengers: list('Messenger', 'Accounts of messengers, in the order of the request.', 20, ['type', 'value'], {
    type: {
      ...words(
        'MessengerType',
        'telegram',
        'whatsapp',
        'viber',
        'vk',
        'instagram',
        'facebook',
        'skype',
        'wechat',
        'other',
      ),
      description: 'The messenger.',
    },
    value: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      documented: { pattern: visiblePattern },
      example: 'anna_petrova',
      description: 'The name, number or address of the account.',
    },
  }),
}

/** Contact data. PATCH merges it one level deep: each list is replaced as a whole (contract section 6.1). */
export function contactData({ birthDate }: { birthDate: boolean }): Field<ContactData> {
  const component = birthDate ? 'ContactData' : 'CompanyContactData'
  const birthDateSchema = birthDate
    ? { birthDate: { type: ['string', 'null'], format: 'date', description: 'The date of birth.' } }
    : {}
  const members: readonly MergedMember[] = [
    ...listNames.map(name => ({ name, isList: true })),
    ...(birthDate ? [{ name: 'birthDate', isList: false }] : []),
  ]
  return {
    column: 'jsonb',
    input: inputSchema(`${component}Input`, birthDateSchema),
    output: { '': outputSchema(component, birthDateSchema) },
    projection: 'contact_data',
    writeScope: 'crm_contact_data_write',
    search: 'contactData',
    description: 'Phones, e-mails, addresses and messengers. A list that is given replaces the whole list.',
    initial: { phones: [], emails: [], addresses: [], messengers: [], ...(birthDate ? { birthDate: null } : {}) },
    merge: {
      memberPattern: members.map(({ name }) => name).join('|'),
      membersIn: () => members,
      listOf: mergedList,
    },
    tidy: tidyLists,
    inspect: inspectLists,
    accept(value, previous, { path, configuration }) {
      return acceptLists(isObject(value) ? value : {}, previous, path, configuration.organization.country)
    },
    searchText: ({ phones, emails }) =>
      [
        ...emails.map(email => searchForm(String(email.value))),
        ...phones.flatMap(({ value, e164 }) => phoneWords(String(value), typeof e164 === 'string' ? e164 : null)),
      ]
        .filter((part, index, all) => part !== '' && all.indexOf(part) === index)
        .join(' '),
    columns: () => contactDataColumns({ birthDate }),
    mentionedAs: ({ phones, emails }) => [
      ...emails.map(email => String(email.value)),
      ...phones.flatMap(({ value, e164 }) =>
        [value, phoneDigits(String(value)), phoneDigits(String(e164 ?? ''))].filter(text => typeof text === 'string'),
      ),
    ],
  }
}

function isListName(name: string): name is ListName {
  return listNames.some(list => list === name)
}

/** How a merge unites a list. Items of the secondary record lose their primary flag, because the flag of the primary record stays. */
function mergedList(name: string): MergedList | null {
  if (!isListName(name)) return null
  return {
    most: Number(lists[name].maxItems),
    identify: item => comparableForm(name, isObject(item) ? item : {}),
    behind: item => (isObject(item) && 'isPrimary' in item ? { ...item, isPrimary: false } : item),
  }
}

function tidyLists(value: unknown): unknown {
  if (!isObject(value)) return value
  const tidied = (name: string, item: unknown) => tidyItem(name === 'phones' ? withoutComputed(item) : item)
  return Object.fromEntries(
    Object.entries(value).map(([name, items]) => [
      name,
      Array.isArray(items) ? items.map(item => tidied(name, item)) : items,
    ]),
  )
}

/**
 * A phone without the members that only answers have. So a client can send a phone back as it was read, and the server computes these
 * members again.
 */
function withoutComputed(phone: unknown): unknown {
  if (!isObject(phone) || !('e164' in phone)) return phone
  const { e164: _, ...sent } = phone
  return sent
}

function tidyItem(item: unknown): unknown {
  if (!isObject(item)) return item
  return Object.fromEntries(
    Object.entries(item).map(([name, text]) => {
      if (typeof text !== 'string') return [name, text]
      const tidied = tidyText(text)
      return [name, tidied === '' && name !== 'value' && name !== 'type' ? null : tidied]
    }),
  )
}

function inspectLists(value: unknown, path: string): Issue[] {
  if (!isObject(value)) return []
  return listNames.flatMap(name => {
    const items = value[name]
    if (!Array.isArray(items)) return []
    const primaries = items.filter(item => isObject(item) && item.isPrimary === true).length
    const issues: Issue[] = []
    if (primaries > 1) issues.push({ path: `${path}/${name}`, rule: 'isPrimary', message: 'Only one can be primary' })
    if (name === 'addresses') issues.push(...emptyAddresses(items, `${path}/${name}`))
    return issues
  })
}

function emptyAddresses(items: readonly unknown[], path: string): Issue[] {
  return items.flatMap((item, index) => {
    const filled = isObject(item) && addressParts.some(part => item[part] !== undefined && item[part] !== null)
    return filled ? [] : [{ path: `${path}/${index}`, rule: 'required', message: 'An address needs at least one part' }]
  })
}

/** Numbers depend on the addresses (their country), so they are parsed again if either list is in the request. */
function acceptLists(given: JsonObject, previous: ContactData, path: string, country: string): ContactData | Refusal {
  const next: Record<string, unknown> = { ...previous }
  if (given.birthDate !== undefined) next.birthDate = given.birthDate
  const countries = phoneCountries(given.addresses === undefined ? previous : given, country)
  for (const name of listNames) {
    const items = given[name]
    if (!Array.isArray(items)) continue
    const stored = items.filter(isObject).map(item => storedItem(name, item, countries))
    const seen = new Set<string>()
    for (const [index, item] of stored.entries()) {
      const comparable = comparableForm(name, item)
      if (seen.has(comparable)) return violates(`${path}/${name}/${index}`, 'unique', 'The same value is given twice')
      seen.add(comparable)
    }
    next[name] = name === 'messengers' ? stored : withPrimary(stored)
  }
  const merged = { ...previous, ...next }
  return given.addresses === undefined ? merged : withE164(merged, countries)
}

function storedItem(name: ListName, item: JsonObject, countries: readonly string[]): JsonObject {
  if (name === 'messengers') return { type: item.type, value: item.value }
  if (name === 'emails') return { value: item.value, label: item.label ?? 'work', isPrimary: item.isPrimary === true }
  if (name === 'phones') {
    const value = String(item.value)
    return { value, e164: toE164(value, countries), label: item.label ?? 'mobile', isPrimary: item.isPrimary === true }
  }
  const parts = addressParts.map(part => [part, item[part] ?? null])
  return { ...Object.fromEntries(parts), isPrimary: item.isPrimary === true }
}

function comparableForm(name: ListName, item: JsonObject): string {
  if (name === 'phones') return String(item.e164 ?? phoneDigits(String(item.value)) ?? item.value)
  if (name === 'emails') return String(item.value).toLowerCase()
  return canonicalJson({ ...item, isPrimary: undefined })
}

function withPrimary(items: readonly JsonObject[]): readonly JsonObject[] {
  if (items.some(item => item.isPrimary === true)) return items
  return items.map((item, index) => ({ ...item, isPrimary: index === 0 }))
}

/** What inspections require beyond the schema, for the OpenAPI document. */
const inspected: Readonly<Record<string, JsonSchema>> = {
  addresses: { not: { patternProperties: { [`^(${addressParts.join('|')})$`]: { type: 'null' } } } },
}
const onePrimary: JsonSchema = {
  contains: { type: 'object', required: ['isPrimary'], properties: { isPrimary: { const: true } } },
  minContains: 0,
  maxContains: 1,
}

/** The schemas of requests, which have fewer members than answers: components of their own. */
function inputSchema(component: string, birthDate: JsonSchema): JsonSchema {
  const given = Object.fromEntries(
    Object.entries(lists).map(([name, list]) => {
      const items = (item: JsonObject) => ({
        ...item,
        component: `${String(item.component)}Input`,
        documented: inspected[name],
      })
      const single = name === 'messengers' ? {} : { documented: onePrimary }
      return [name, { ...withItems(list, items), ...single }]
    }),
  )
  return { component, type: 'object', properties: { ...given, ...birthDate }, additionalProperties: false }
}

function outputSchema(component: string, birthDate: JsonSchema): JsonSchema {
  const shown = Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [
      name,
      withItems(list, ({ component, properties }) => ({
        component,
        type: 'object',
        required: Object.keys(isObject(properties) ? properties : {}),
        properties,
      })),
    ]),
  )
  const properties = { ...shown, ...birthDate }
  return { component, type: 'object', required: Object.keys(properties), properties }
}

function withItems(list: JsonSchema, change: (items: JsonObject) => JsonSchema): JsonSchema {
  return { ...list, items: change(isObject(list.items) ? list.items : {}) }
}
