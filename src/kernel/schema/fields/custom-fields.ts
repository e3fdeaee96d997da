import { type Issue, type Refusal, unprocessable } from '../../errors/index.ts'
import { isDate, isDateTime, toUtc } from '../dates.ts'
import type { CustomFieldDefinition, Directory } from '../directory.ts'
import type { Field } from '../field.ts'
import { isUuid } from '../ids.ts'
import { isObject, type JsonObject, pointer } from '../json.ts'
import { decimalPattern, minimalDecimal } from '../money.ts'
import { codePoints, searchForm } from '../text.ts'

export type CustomFieldValues = Readonly<Record<string, unknown>>

const decimalForm = new RegExp(decimalPattern, 'u')
const keyForm = /^[a-z][a-z0-9_]{0,63}$/u
const mostOptions = 50
const scalar = { type: ['string', 'boolean', 'null', 'array'], items: { type: 'string' } }

/** Values of the organization's own fields, merged per key; null clears a key (contract section 6.9). */
export function customFields(): Field<CustomFieldValues> {
  return {
    column: 'jsonb',
    input: { type: 'object', maxProperties: 200, additionalProperties: scalar },
    output: { '': { type: 'object', additionalProperties: true } },
    readGuard: 'custom_fields',
    writeScope: 'crm_custom_fields_manage',
    search: 'customFields',
    freeText: true,
    description: "Values of the organization's own fields: see directories.customFields in /capabilities.",
    example: {},
    initial: {},
    // Of several options the client need not choose: the record has them all.
    merge: { isMember: key => keyForm.test(key), listOf: () => ({ most: mostOptions, identify: String }) },
    inspect: wrongKeys,
    accept(value, previous, context) {
      const definitions = context.directory.customFields.get(context.kind) ?? []
      return acceptValues(isObject(value) ? value : {}, previous, definitions, context.path, context.directory)
    },
    searchText: values =>
      searchForm(
        Object.values(values)
          .flat()
          .filter(value => typeof value === 'string')
          .join(' '),
      ),
  }
}

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
  directory: Directory,
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
    if (value === null) {
      next.delete(key)
      continue
    }
    const stored = storedForm(value, definition, directory)
    if (stored === undefined) issues.push({ path: at, rule: definition.type, message: expectation(definition) })
    else next.set(key, stored)
  }
  if (issues.length > 0) return unprocessable(issues)
  return Object.fromEntries([...next].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Required fields without a value; only tokens that may manage custom fields have to fill them. */
export function missingCustomFields(values: CustomFieldValues, definitions: readonly CustomFieldDefinition[]): Issue[] {
  return definitions
    .filter(definition => definition.required && !Object.hasOwn(values, definition.key))
    .map(({ key }) => ({ path: `/customFields/${key}`, rule: 'required', message: 'This custom field is required' }))
}

/** undefined: the value does not have the field's type. */
function storedForm(value: unknown, definition: CustomFieldDefinition, directory: Directory): unknown {
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
    case 'text':
      return codePoints(value) <= 5000 ? value.normalize('NFC') : undefined
    case 'number':
      return decimalForm.test(value) ? minimalDecimal(value) : undefined
    case 'date':
      return isDate(value) ? value : undefined
    case 'datetime':
      return isDateTime(value) ? toUtc(value) : undefined
    case 'select':
      return known(value) ? value : undefined
    case 'url':
      return isWebAddress(value) ? value : undefined
    case 'user': {
      const uuid = value.toLowerCase()
      return isUuid(value) && directory.operators.has(uuid) ? uuid : undefined
    }
  }
}

function isWebAddress(text: string): boolean {
  return text.length <= 2048 && !/\p{Cc}/u.test(text) && URL.canParse(text) && /^https?:\/\//iu.test(text)
}

function expectation({ type }: CustomFieldDefinition): string {
  if (type === 'number') return 'A decimal string is expected'
  if (type === 'select' || type === 'multiselect') return `A ${type} takes the keys of the field's options`
  if (type === 'user') return 'The uuid of an operator is expected'
  return `A value of type ${type} is expected`
}
