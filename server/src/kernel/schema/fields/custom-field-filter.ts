import type { CustomFieldDefinition, CustomFieldType } from '../configuration.ts'
import { isDate, isDateTime, toUtc } from '../dates.ts'
import type { FilterContext } from '../filter.ts'
import { isUuid } from '../ids.ts'
import { decimalPattern, minimalDecimal } from '../money.ts'
import { codePoints } from '../text.ts'
import { mostCharacters } from './custom-field-values.ts'

/** The names of the parameters by which lists choose records by custom fields. */
export const customFieldParameter = /^customField\.([a-z][a-z0-9_]{0,63})$/u

/** JSON Schema of a value in such a parameter, before the type of its field is known. */
export const customFieldTextSchema = { type: 'string', minLength: 1, maxLength: mostCharacters }

/** Whether a text can be such a value. */
export function isCustomFieldText(text: string): boolean {
  return text !== '' && codePoints(text) <= mostCharacters
}

const decimalForm = new RegExp(decimalPattern, 'u')
const asIs = (text: string) => text

/** The stored text of a value from a query, by the type of its field; undefined if it does not have the type. */
const storedTexts: Readonly<Record<CustomFieldType, (text: string) => string | undefined>> = {
  text: text => text.normalize('NFC'),
  number: text => (decimalForm.test(text) ? minimalDecimal(text) : undefined),
  boolean: text => (text === 'true' || text === 'false' ? text : undefined),
  date: text => (isDate(text) ? text : undefined),
  datetime: text => (isDateTime(text) ? toUtc(text) : undefined),
  select: asIs,
  multiselect: asIs,
  url: asIs,
  user: text => (isUuid(text) ? text.toLowerCase() : undefined),
}

/** The stored form of a text that a query has for a custom field; undefined if it does not have the type of the field. */
export function customFieldText({ type }: CustomFieldDefinition, text: string): string | undefined {
  return storedTexts[type](text)
}

/** SQL of the condition that the custom field has one of these values. */
export function hasCustomValue(
  { key, type }: Pick<CustomFieldDefinition, 'key' | 'type'>,
  column: string,
  values: readonly string[],
  { bind }: Pick<FilterContext, 'bind'>,
): string {
  if (type === 'multiselect') return `${column} -> ${bind(key)}::text ?| ${bind(values)}::text[]`
  return `${column} ->> ${bind(key)}::text = any(${bind(values)}::text[])`
}
