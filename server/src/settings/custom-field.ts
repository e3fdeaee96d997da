import type { RecordState } from '../kernel/index.ts'
import {
  computed,
  customFieldTypes,
  type Field,
  isObject,
  type JsonObject,
  Refusal,
  tidyText,
  violates,
} from '../kernel/schema/index.ts'
import { defineSetting } from './define-setting.ts'
import { name, nameMessage, nameSchema, position, text, word, yesOrNo } from './fields.ts'
import { organization } from './organization.ts'
import { settingBounds } from './setting-bounds.ts'

const key = {
  isValid: (value: string) => /^[a-z][a-z0-9_]{0,63}$/u.test(value),
  reason: (value: string) => `"${value}" is no key: lower-case letters, digits and _, 64 at most, a letter first`,
}

/** A field that an organization adds to records of one kind. */
export const customField = defineSetting({
  kind: 'custom_field',
  table: 'custom_field_definitions',
  owner: organization,
  about: 'custom fields, which records of one kind have',
  creates: 'a custom field',
  order: 'position',
  bound: settingBounds.kindCustomFields,
  fields: {
    kind: {
      ...computed('', { column: 'text', schema: { type: 'string' } }),
      input: { type: 'string' },
      requiredOnCreate: true,
      createOnly: true,
      form: { kindsWith: 'customFields', help: 'what has it' },
    },
    key: {
      ...text('', key, { help: 'its name in the API: lower-case letters, digits and _' }),
      requiredOnCreate: true,
      createOnly: true,
    },
    label: {
      ...name('the label of a custom field', { help: 'its name for people', usual: 'the key' }),
      requiredOnCreate: false,
    },
    type: {
      ...word('the type of a custom field', customFieldTypes, 'text'),
      requiredOnCreate: true,
      createOnly: true,
    },
    options: options(),
    required: yesOrNo(false, {
      yes: { option: 'required', help: 'every record needs a value' },
      no: { option: 'optional', help: 'records need no value' },
    }),
    position: position(),
  },
  // Kind and key identify it. Each kind has its own order.
  within: 'kind',
  unique: {
    key: ({ kind, key }) => `there is a custom field ${String(key)} of the kind ${String(kind)}`,
    label: ({ kind, label }) => `another custom field of the kind ${String(kind)} is labelled ${String(label)}`,
  },
  comesLast: true,
  add(draft, input, kind) {
    const added = draft.add(kind, { label: input.key, ...input })
    return added instanceof Refusal ? added : (refuseOptions(added) ?? added)
  },
  alter(draft, before, input, kind) {
    const changed = draft.alter(kind, before, input)
    return changed instanceof Refusal ? changed : (refuseOptions(changed, before) ?? changed)
  },
  receipt: ({ kind, key }) => ({ id: `${String(kind)}.${String(key)}`, key: String(key) }),
})

export const { create: createCustomField } = customField.administered

interface Option {
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
    input: { type: 'array', items: option, maxItems: 500 },
    form: {
      option: 'option <key=label...>',
      help: 'what a select or multiselect chooses from; all of them, in order',
      item: optionIn,
    },
    initial: [],
    tidy: value => (Array.isArray(value) ? value.map(tidyOption) : value),
    explain: ({ path }) =>
      path.endsWith('/key') ? nameMessage('the key of an option', 100) : nameMessage('the label of an option', 200),
  }
}

/** `key=Label`; a key alone is its own label. */
function optionIn(text: string): JsonObject {
  const [key = '', ...label] = text.split('=')
  return { key, label: label.length === 0 ? key : label.join('=') }
}

function tidyOption(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, word]) => [member, typeof word === 'string' ? tidyText(word) : word]),
  )
}

/**
 * The choices of a select or multiselect; other types have no options. Records may use the options from before, so these cannot be removed,
 * but they can get another label or order.
 */
function refuseOptions({ type, options }: RecordState, before?: RecordState): Refusal | null {
  const keys = keysOf(options)
  const chooses = type === 'select' || type === 'multiselect'
  const refused = (message: string) => violates('/options', 'options', message)
  if (!chooses && keys.length > 0) return refused(`a custom field of the type ${String(type)} has no options`)
  if (chooses && keys.length === 0) return refused(`a custom field of the type ${type} needs options`)
  if (new Set(keys).size < keys.length) return refused('the options of a custom field have different keys')
  const lost = keysOf(before?.options).find(key => !keys.includes(key))
  return lost === undefined ? null : refused(`the option ${lost} stays: records may have it`)
}

function keysOf(options: unknown): string[] {
  return Array.isArray(options) ? options.flatMap(option => (isObject(option) ? String(option.key) : [])) : []
}
