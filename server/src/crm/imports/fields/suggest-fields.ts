import type { SurveyedColumn } from '../reading/survey.ts'
import type { EntityType } from './entity-types.ts'
import { targetOf } from './header-patterns.ts'
import type { ImportField } from './import-fields.ts'
import { readHeader } from './read-header.ts'
import { suggestAddress } from './suggest-address.ts'
import { suggestByCells } from './suggest-by-cells.ts'
import { suggestNames } from './suggest-names.ts'
import { fieldsOfTarget, isFilled, Suggestions, type TargetedColumn } from './suggestions.ts'

/**
 * The field that each column probably holds, by the number of the column. It is recognized by the keys that exports write, by the labels of
 * custom fields, by the meaning of the words in its header and, if these say nothing, by its values. No field is suggested twice, and none
 * where it is doubtful.
 */
export function suggestFields(
  type: EntityType,
  columns: readonly SurveyedColumn[],
  fields: readonly ImportField[],
): ReadonlyMap<number, string> {
  const found = new Suggestions(fields)
  suggestByKeysAndLabels(columns, fields, found)
  const read = columns
    .filter(({ index }) => !found.byColumn.has(index))
    .map(column => ({ column, header: readHeader(column.name) }))
  const targeted = read
    .flatMap(({ column, header }): TargetedColumn[] => {
      const says = targetOf(header, type)
      return says === null ? [] : [{ column, header, says }]
    })
    .toSorted(byRank)
  const filledFirst = [...targeted.filter(isFilled), ...targeted]
  if (type === 'contacts') suggestNames(filledFirst, found)
  suggestAddress(targeted, found)
  for (const { column, says } of filledFirst) found.take(column, ...fieldsOfTarget(says.target))
  suggestByCells(read, type, found)
  return found.byColumn
}

function suggestByKeysAndLabels(
  columns: readonly SurveyedColumn[],
  fields: readonly ImportField[],
  found: Suggestions,
): void {
  const isNamed = (text: string, { name }: SurveyedColumn) => text.toLowerCase() === name.toLowerCase()
  for (const column of columns) {
    // Other products have this name too, beside first and last names.
    const own = fields.filter(({ key }) => key !== 'fullName' && isNamed(key, column))
    found.take(column, ...own.map(({ key }) => key))
  }
  for (const column of columns) {
    const own = fields.filter(({ key, label }) => key.startsWith('custom.') && isNamed(label, column))
    found.take(column, ...own.map(({ key }) => key))
  }
}

function byRank({ says: one }: TargetedColumn, { says: other }: TargetedColumn): number {
  const at = one.rank.findIndex((rank, index) => rank !== other.rank[index])
  return (one.rank[at] ?? 0) - (other.rank[at] ?? 0)
}
