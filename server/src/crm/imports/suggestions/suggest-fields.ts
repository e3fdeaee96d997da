import type { EntityType } from '../fields/entity-types.ts'
import type { ImportField } from '../fields/import-fields.ts'
import type { SurveyedColumn } from '../reading/survey.ts'
import { headersOf } from './known-headers.ts'

/** Targets of which a record has several, one for each column in turn. */
const numbered = ['phone', 'email', 'website']

/**
 * The field that each column seems to be for, by the number of the column: by the keys that exports write, by the labels of
 * custom fields, and by the headers of address books and other CRM products. No field is suggested twice.
 */
export function suggestFields(
  type: EntityType,
  columns: readonly SurveyedColumn[],
  fields: readonly ImportField[],
): ReadonlyMap<number, string> {
  const suggested = new Map<number, string>()
  const free = new Set(fields.map(({ key }) => key))
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
  const known = headersOf(type)
  // Of several columns for one field the first of these headers is the best.
  for (const [target, headers] of known) {
    for (const header of headers) {
      for (const column of columns) {
        if (headerForm(column.name) !== header || !fits(target, column)) continue
        const keys = numbered.includes(target) ? [1, 2, 3].map(number => `${target}${number}`) : [target]
        take(
          column.index,
          keys.find(key => free.has(key)),
        )
      }
    }
  }
  return suggested
}

/** The names of owners stand in most exports, and only an e-mail address tells who it is. */
function fits(target: string, { detectedType }: SurveyedColumn): boolean {
  return target !== 'ownerEmail' || detectedType === 'email'
}

/** A header in the form in which headers are known: lower case, one # for each number, single spaces for all marks. */
function headerForm(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replaceAll(/\d+/gu, '#')
    .replaceAll(/[^\p{L}#]+/gu, ' ')
    .trim()
    .replace(
      /^(?:person|organization|contact|lead|account|company|deal) (?=name$|first|last|e ?mail|phone|address|id$|owner|title$|label)/u,
      '',
    )
}
