import { isList, isObject, type Json, type JsonObject } from '../../records/record.ts'
import type { Text } from '../../words/index.ts'
import type { SettingField } from '../setting-field.tsx'
import { tidyValues } from '../setting-values.ts'

/** A setting as its list shows it. */
export type ListedSetting = JsonObject & { readonly id: string; readonly version: number }

/** A kind of settings whose list and form follow from this declaration. */
export interface SettingKind {
  /** Its name in the paths of the server. */
  readonly plural: string
  readonly title: Text
  readonly add: Text
  readonly empty: Text
  /** The field that names a setting for people. */
  readonly named: 'name' | 'label'
  readonly fields: readonly SettingField[]
  /** The fields that the list shows behind the name. */
  readonly shown: readonly string[]
  /** What a new one begins with. */
  readonly initial: JsonObject
}

const recordKinds = [
  { id: 'contact', name: 'Contacts' },
  { id: 'company', name: 'Companies' },
  { id: 'deal', name: 'Deals' },
  { id: 'task', name: 'Tasks' },
] as const

export const tagKind: SettingKind = {
  plural: 'tags',
  title: 'Tags',
  add: 'New tag',
  empty: 'No tags yet.',
  named: 'name',
  fields: [
    { name: 'name', label: 'Name', widget: 'text', isRequired: true, max: 100 },
    { name: 'color', label: 'Color', hint: 'Such as #00aa55', widget: 'text' },
    { name: 'kinds', label: 'Of which records', widget: 'choices', choices: recordKinds, only: 'new' },
  ],
  shown: ['color', 'kinds'],
  initial: { name: '', color: '', kinds: recordKinds.map(({ id }) => id) },
}

export const customFieldKind: SettingKind = {
  plural: 'custom-fields',
  title: 'Fields',
  add: 'New field',
  empty: 'No fields yet. Records have those of the product.',
  named: 'label',
  fields: [
    { name: 'kind', label: 'Of which records', widget: 'choice', choices: recordKinds, isRequired: true, only: 'new' },
    { name: 'label', label: 'Label', widget: 'text', isRequired: true, max: 200 },
    {
      name: 'key',
      label: 'Key',
      hint: 'Its name in the API: lower-case letters, digits and _',
      widget: 'text',
      isRequired: true,
      only: 'new',
    },
    {
      name: 'type',
      label: 'Type',
      widget: 'choice',
      isRequired: true,
      only: 'new',
      choices: [
        { id: 'text', name: 'Text' },
        { id: 'number', name: 'Number' },
        { id: 'boolean', name: 'Yes or no' },
        { id: 'date', name: 'Date' },
        { id: 'datetime', name: 'Date and time' },
        { id: 'select', name: 'One of several choices' },
        { id: 'multiselect', name: 'Some of several choices' },
        { id: 'url', name: 'Web address' },
        { id: 'user', name: 'Person' },
      ],
    },
    {
      name: 'options',
      label: 'Choices',
      hint: 'For a field of choices: one in each line, key=Label. A key stays when records may have it.',
      widget: 'lines',
    },
    { name: 'required', label: 'Every record needs a value', widget: 'flag' },
  ],
  shown: ['kind', 'key', 'type', 'required'],
  initial: { kind: 'contact', label: '', key: '', type: 'text', options: [], required: false },
}

export const lostReasonKind: SettingKind = {
  plural: 'lost-reasons',
  title: 'Reasons',
  add: 'New reason',
  empty: 'No reasons yet. A lost deal says why with one of them.',
  named: 'name',
  fields: [
    { name: 'name', label: 'Name', widget: 'text', isRequired: true, max: 200 },
    { name: 'pipelineId', label: 'Only in the pipeline', widget: 'choice', only: 'new' },
    { name: 'active', label: 'Deals can be lost for it', widget: 'flag', only: 'change' },
  ],
  shown: ['pipelineId', 'active'],
  initial: { name: '', pipelineId: '' },
}

/** A setting as its form shows it: choices in lines of `key=Label`. */
export function valuesOfSetting({ fields }: SettingKind, setting: ListedSetting): JsonObject {
  const { options } = setting
  const values = Object.fromEntries(
    fields.filter(({ only }) => only !== 'new').map(({ name }): [string, Json] => [name, setting[name] ?? null]),
  )
  if (!isList(options)) return values
  const lines = options.flatMap(option => (isObject(option) ? `${String(option.key)}=${String(option.label)}` : []))
  return { ...values, options: lines }
}

/** The values of a form as the server takes them. */
export function bodyOfSetting(values: JsonObject): JsonObject {
  const body = tidyValues(values)
  const { options } = body
  return isList(options) ? { ...body, options: options.map(line => optionIn(String(line))) } : body
}

function optionIn(line: string): JsonObject {
  const [key = '', ...label] = line.split('=')
  return { key: key.trim(), label: label.length === 0 ? key.trim() : label.join('=').trim() }
}
