import { defineNested } from '../kernel/index.ts'
import { computed, customFieldTypes, type Field, type Issue, isObject, tidyText } from '../kernel/schema/index.ts'
import { flag, name, nameMessage, nameSchema, position, text, word } from './fields.ts'
import { organization } from './organization-record.ts'
import { customFieldRules } from './setting.rules.ts'

const keyForm = /^[a-z][a-z0-9_]{0,63}$/u
const keyReason = (key: string) => `"${key}" is no key: lower-case letters, digits and _, 64 at most, a letter first`

/** A field that an organization gives records of one kind. */
export const customField = defineNested({
  kind: 'custom_field',
  plural: 'custom-fields',
  title: 'CustomField',
  table: 'custom_field_definitions',
  parent: organization,
  parentMember: 'organizationId',
  part: 'customFields',
  most: null,
  order: { field: 'position', direction: 'asc' },
  fields: {
    kind: computed('', { column: 'text', schema: { type: 'string' } }),
    key: { ...text('', key => keyForm.test(key), keyReason), requiredOnCreate: true, createOnly: true },
    label: name('the label of a custom field'),
    type: { ...word('the type of a custom field', customFieldTypes, 'text'), createOnly: true },
    options: options(),
    required: flag(false),
    position: position(),
  },
  rules: { ...customFieldRules, inspectCreate: inspectOptions },
})

export interface Option {
  readonly key: string
  readonly label: string
}

function options(): Field<readonly Option[]> {
  const option = {
    type: 'object',
    required: ['key', 'label'],
    properties: { key: nameSchema(100), label: nameSchema(200) },
    additionalProperties: false,
  }
  return {
    column: 'jsonb',
    input: { type: 'array', items: option },
    initial: [],
    tidy: value => (Array.isArray(value) ? value.map(tidyOption) : value),
    explain: ({ path }) =>
      path.endsWith('/key') ? nameMessage('the key of an option', 100) : nameMessage('the label of an option', 200),
  }
}

function tidyOption(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, word]) => [member, typeof word === 'string' ? tidyText(word) : word]),
  )
}

/** What a select or multiselect chooses from; no other type has options. */
export function inspectOptions(input: Readonly<Record<string, unknown>>): Issue[] {
  const { options } = input
  const type = String(input.type)
  const given: readonly unknown[] = Array.isArray(options) ? options : []
  const chooses = type === 'select' || type === 'multiselect'
  const refused = (message: string) => [{ path: '/options', rule: 'options', message }]
  if (!chooses && given.length > 0) return refused(`a custom field of the type ${type} has no options`)
  if (chooses && given.length === 0) return refused(`a custom field of the type ${type} needs options`)
  const keys = new Set(given.map(option => (isObject(option) ? option.key : undefined)))
  return keys.size < given.length ? refused('the options of a custom field have different keys') : []
}
