import type { SurveyedColumn } from '../reading/survey.ts'
import type { EntityType } from './entity-types.ts'
import type { ImportField } from './import-fields.ts'
import { headerForm, headersOf } from './known-headers.ts'

/** Targets of which a record has several, assigned to one column after another. */
const numbered = ['phone', 'email', 'website']

/**
 * The field that each column probably holds, by the number of the column: recognized by the keys that exports write, by the labels of
 * custom fields, and by the headers of address books and other CRM products. No field is suggested twice.
 */
export function suggestFields(
  type: EntityType,
  columns: readonly SurveyedColumn[],
  fields: readonly ImportField[],
): ReadonlyMap<number, string> {
  const suggested = new Map<number, string>()
  const free = new Map(fields.map(field => [field.key, field]))
  const take = (index: number, key: string | undefined) => {
    if (key === undefined || suggested.has(index) || !free.delete(key)) return
    suggested.set(index, key)
  }
  for (const { index, name } of columns)
    take(index, fields.find(({ key }) => key.toLowerCase() === name.toLowerCase())?.key)
  for (const { index, name } of columns) {
    const own = fields.find(({ key, label }) => key.startsWith('custom.') && label.toLowerCase() === name.toLowerCase())
    take(index, own?.key)
  }
  const named = columns.map(column => ({ column, form: headerForm(column.name, type) }))
  // If several columns match one field, the one with the best header is taken.
  for (const [target, headers] of headersOf(type)) {
    const isNumbered = numbered.includes(target)
    const keys = isNumbered ? [1, 2, 3].map(number => `${target}${number}`) : [target]
    const found = headers.flatMap(header => named.filter(({ form }) => form === header).map(({ column }) => column))
    // At most three columns are taken: those that have values come before empty ones.
    for (const column of isNumbered ? filledFirst(found) : found) {
      const field = free.get(keys.find(key => free.has(key)) ?? '')
      if (field !== undefined && fits(field, column)) take(column.index, field.key)
    }
  }
  return suggested
}

function filledFirst(columns: readonly SurveyedColumn[]): readonly SurveyedColumn[] {
  const isEmpty = ({ detectedType }: SurveyedColumn) => detectedType === 'empty'
  return [...columns.filter(column => !isEmpty(column)), ...columns.filter(isEmpty)]
}

/**
 * Whether the values of a column are usable for a field. Most exports have the names of owners, but only an e-mail address identifies one;
 * labels are usable only if the organization has such tags.
 */
function fits({ key, type, parse }: ImportField, { detectedType, samples }: SurveyedColumn): boolean {
  if (key === 'ownerEmail') return detectedType === 'email'
  return type !== 'choices' || samples.length === 0 || samples.some(sample => parse(sample) !== undefined)
}
