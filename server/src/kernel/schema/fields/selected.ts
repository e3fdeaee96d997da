import type { Field } from '../field.ts'
import { byWord } from '../filter.ts'

/** Lists can be filtered by the words of the field. `description` says what the records have in common: `With this status`. */
export function chosenBy<Value>(field: Field<Value>, description: string): Field<Value> {
  const { component, enum: all } = field.input ?? field.output?.[''] ?? {}
  const words = Array.isArray(all) ? all.filter(word => typeof word === 'string') : []
  return { ...field, filters: { '': byWord({ component, type: 'string', enum: words }, words, description) } }
}

/** Lists can be sorted by the field. Texts are compared as `sortedForm` says. */
export function sorted<Value>(field: Field<Value>): Field<Value> {
  const { column = '', initial } = field
  const order = { type: column, isNullable: initial === null, ...(column === 'text' ? { value: sortedForm } : {}) }
  return { ...field, order }
}

/**
 * SQL of the form in which a text is sorted: its first 100 characters, without case and accents, by their code points. Thus the order does
 * not depend on the locale of the database.
 */
export function sortedForm(text: string): string {
  return `left(lower(regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f]+', '', 'g')), 100) collate "C"`
}
