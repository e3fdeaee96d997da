import { type Issue, type Refusal, unprocessable } from '../../errors/index.ts'
import type { Configuration, CustomFieldDefinition, CustomFieldType } from '../configuration.ts'
import { isDate, isDateTime, toUtc } from '../dates.ts'
import type { Field, NamesSetting } from '../field.ts'
import { isUuid } from '../ids.ts'
import { isObject, type JsonObject } from '../json.ts'
import { pointer } from '../json-pointer.ts'
import { decimalPattern, minimalDecimal } from '../money.ts'
import { codePoints, isBlank, searchForm, tidyText } from '../text.ts'
import { customFieldColumn } from './custom-field-column.ts'

export type CustomFieldValues = Readonly<Record<string, unknown>>

const decimalForm = new RegExp(decimalPattern, 'u')
const takesNoText: readonly CustomFieldType[] = ['boolean', 'multiselect']
const keyPattern = '[a-z][a-z0-9_]{0,63}'
const keyForm = new RegExp(`^${keyPattern}$`, 'u')
const mostOptions = 50
/** The most characters of a text in a custom field. */
export const mostCharacters = 5000
const kinds =
  'As the type of the field says: a text; a number as a decimal string such as "12.5"; true or false; a date; a date and ' +
  'time; the key of an option, or a list of keys; an http or https address; the uuid of an operator.'
const valueSchema = {
  type: ['string', 'boolean', 'null', 'array'],
  items: { type: 'string' },
  // A value has one of several types, so the document gives none: generators of typed clients then make it any JSON value.
  documented: {
    type: undefined,
    items: undefined,
    description: kinds,
    not: {
      anyOf: [
        { type: 'number' },
        { type: 'object' },
        { type: 'array', contains: { not: { type: 'string' } } },
        { type: 'string', pattern: '\\x00' },
      ],
    },
  },
}

/** Values of custom fields, merged per key. null and a blank text clear a key (contract section 6.9). */
export function customFields(): Field<CustomFieldValues> {
  return {
    role: 'customFields',
    column: 'jsonb',
    namesSettings: { custom_field: hasKeyIn, operator: isUserIn },
    input: {
      component: 'CustomFieldValuesInput',
      type: 'object',
      maxProperties: 200,
      additionalProperties: valueSchema,
      documented: { propertyNames: { pattern: `^${keyPattern}$` } },
    },
    output: { '': { component: 'CustomFieldValues', type: 'object', additionalProperties: { description: kinds } } },
    projection: 'custom_fields',
    writeScope: 'crm_custom_fields_manage',
    search: 'customFields',
    freeText: true,
    description:
      "Values of the organization's own fields: see directories.customFields in /capabilities. " +
      'null or a blank text takes a value away.',
    example: {},
    initial: {},
    // A multiselect is united without asking the client: the record gets the options of both.
    merge: {
      memberPattern: keyPattern,
      membersIn: ({ customFields: fields }, kind) =>
        (fields.get(kind) ?? []).map(({ key, type }) => ({ name: key, isList: type === 'multiselect' })),
      listOf: () => ({ most: mostOptions, identify: String }),
    },
    inspect: wrongKeys,
    explain: issue => (issue.rule === 'type' && issue.path.includes('/', 1) ? everyType : undefined),
    accept(value, previous, context) {
      const definitions = context.configuration.customFields.get(context.kind) ?? []
      return acceptValues(isObject(value) ? value : {}, previous, definitions, context.path, context.configuration)
    },
    searchText: values =>
      searchForm(
        Object.values(values)
          .flat()
          .filter(value => typeof value === 'string')
          .join(' '),
      ),
    columns: (_name, { configuration, kind }) => (configuration.customFields.get(kind) ?? []).map(customFieldColumn),
  }
}

/** Whether there is a value of the field. */
const hasKeyIn: NamesSetting = (column, kind) =>
  `${column} ? (select f.key from custom_field_definitions f
      where f.organization_id = $1 and f.kind = '${kind}' and f.id = $2::uuid)`

/** Whether a value of the type `user` is the operator. */
const isUserIn: NamesSetting = (column, kind) =>
  `exists (select from custom_field_definitions f
      where f.organization_id = $1 and f.kind = '${kind}' and f.type = 'user' and ${column} ->> f.key = $2::uuid::text)`

function wrongKeys(value: unknown, path: string): Issue[] {
  if (!isObject(value)) return []
  return Object.keys(value)
    .filter(key => !keyForm.test(key))
    .map(key => ({ path: `${path}/${pointer(key)}`, rule: 'pattern', message: 'Not the form of a custom field key' }))
}

function acceptValues(
  given: JsonObject,
  previous: CustomFieldValues,
  definitions: readonly CustomFieldDefinition[],
  path: string,
  configuration: Configuration,
): CustomFieldValues | Refusal {
  const next = new Map(Object.entries(previous))
  const issues: Issue[] = []
  for (const [key, value] of Object.entries(given)) {
    const at = `${path}/${pointer(key)}`
    const definition = definitions.find(candidate => candidate.key === key)
    if (definition === undefined) {
      issues.push({ path: at, rule: 'custom_field', message: 'No such custom field: see directories.customFields' })
      continue
    }
    if (value === null || (isBlankText(value) && !takesNoText.includes(definition.type))) {
      next.delete(key)
      continue
    }
    const stored = storedForm(value, definition, configuration)
    if (stored === undefined)
      issues.push({ path: at, rule: definition.type, message: customFieldForms[definition.type] })
    else next.set(key, stored)
  }
  if (issues.length > 0) return unprocessable(issues)
  return Object.fromEntries([...next].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Issues for required custom fields without a value. Only tokens that may manage custom fields have to fill them. */
export function missingCustomFields(values: CustomFieldValues, definitions: readonly CustomFieldDefinition[]): Issue[] {
  return definitions
    .filter(({ required, key }) => required && !(Object.hasOwn(values, key) && fills(values[key])))
    .map(({ key }) => ({ path: `/customFields/${key}`, rule: 'required', message: 'This custom field is required' }))
}

/** Whether a value is not empty. An empty list and a text without visible characters are. */
function fills(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : !isBlankText(value)
}

function isBlankText(value: unknown): boolean {
  return typeof value === 'string' && isBlank(value)
}

/** The stored form of a value; undefined if the value does not have the type of the field. */
function storedForm(value: unknown, definition: CustomFieldDefinition, configuration: Configuration): unknown {
  const known = (key: string) => definition.options.some(option => option.key === key)
  if (definition.type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (definition.type === 'multiselect') {
    const keys = Array.isArray(value) ? value.map(String) : undefined
    const valid =
      keys !== undefined && keys.length <= mostOptions && new Set(keys).size === keys.length && keys.every(known)
    return valid ? keys : undefined
  }
  if (typeof value !== 'string') return undefined
  switch (definition.type) {
    case 'text': {
      // The length of the stored text counts, so that clients can send it back: NFC can have more or fewer characters.
      const text = value.normalize('NFC')
      return codePoints(text) <= mostCharacters ? text : undefined
    }
    case 'number':
      return decimalForm.test(value) ? minimalDecimal(value) : undefined
    case 'date':
      return isDate(value) ? value : undefined
    case 'datetime':
      return isDateTime(value) ? toUtc(value) : undefined
    case 'select':
      return known(value) ? value : undefined
    case 'url': {
      const address = tidyText(value)
      return isWebAddress(address) ? address : undefined
    }
    case 'user': {
      const uuid = value.toLowerCase()
      return isUuid(value) && configuration.operators.has(uuid) ? uuid : undefined
    }
  }
}

function isWebAddress(text: string): boolean {
  return codePoints(text) <= 2048 && !/\p{Cc}/u.test(text) && URL.canParse(text) && /^https?:\/\//iu.test(text)
}

const everyType =
  'A text, true, false, a list of texts or null is expected, whichever the field takes: see directories.customFields; ' +
  'numbers are sent as decimal strings such as "12.5"'

/** What is expected of a value, by the type of its field. */
export const customFieldForms: Readonly<Record<CustomFieldType, string>> = {
  text: `A text of at most ${mostCharacters} characters is expected`,
  number: 'A decimal string such as "12.5" is expected',
  boolean: 'true or false is expected',
  date: 'A date such as "2026-01-31" is expected',
  datetime: 'A date and time with an offset such as "2026-01-31T09:15:00Z" is expected',
  select: 'The key of one of its options is expected: see directories.customFields',
  multiselect: `A list of at most ${mostOptions} different keys of its options is expected: see directories.customFields`,
  url: 'An http or https address such as "https://example.com" is expected',
  user: 'The uuid of an operator is expected: see directories.operators',
}
