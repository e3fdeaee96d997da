import { type Column, type ColumnType, joinTexts, parserOf, plainText, splitTexts } from '../column.ts'
import type { CustomFieldDefinition, CustomFieldType } from '../configuration.ts'
import { ownMember } from '../json.ts'

const types: Readonly<Record<CustomFieldType, ColumnType>> = {
  text: 'text',
  number: 'decimal',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
  select: 'choice',
  multiselect: 'choices',
  url: 'url',
  user: 'uuid',
}

/** The column of one custom field, `custom.<key>`. Files contain options by their keys; an import also accepts their labels. */
export function customFieldColumn({
  key,
  label,
  type: fieldType,
  options,
}: CustomFieldDefinition): Column<Readonly<Record<string, unknown>>> {
  const type = types[fieldType]
  const kept = fieldType === 'text' ? ({ keepsSpace: true } as const) : {}
  const common = { key: `custom.${key}`, label, type, path: [key], ...kept }
  const optionOf = (text: string) => {
    const word = text.trim()
    const named = (option: { label: string }) => option.label.toLowerCase() === word.toLowerCase()
    return (options.find(option => option.key === word) ?? options.find(named))?.key
  }
  if (type === 'choice')
    return { ...common, options, text: values => plainText(ownMember(values, key)), parse: optionOf }
  if (type !== 'choices') return { ...common, text: values => plainText(ownMember(values, key)), parse: parserOf(type) }
  return {
    ...common,
    options,
    text(values) {
      const value = ownMember(values, key)
      return Array.isArray(value) ? joinTexts(value.map(String)) : ''
    },
    parse(text) {
      const keys = splitTexts(text).map(optionOf)
      return keys.every(found => found !== undefined) ? keys : undefined
    },
  }
}
