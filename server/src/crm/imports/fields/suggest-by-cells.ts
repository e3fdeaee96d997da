import { type Reach, reachOf } from './cells.ts'
import type { EntityType } from './entity-types.ts'
import { isSilent } from './header-patterns.ts'
import { fieldsOfTarget, type ReadColumn, type Suggestions } from './suggestions.ts'

/**
 * Suggests columns of e-mail addresses, phone numbers and websites by their values where the header says nothing. Columns whose header has
 * only unknown words are suggested if nothing else in the file has such values, apart from columns with the same words: the addresses of the
 * only ones are those of the records, but among several they could be those of others.
 */
export function suggestByCells(columns: readonly ReadColumn[], type: EntityType, found: Suggestions): void {
  const left = columns.filter(({ column }) => !found.byColumn.has(column.index))
  for (const reach of ['email', 'phone', 'website'] as const) {
    const fitting = left.filter(({ column }) => reachOf(column) === reach)
    const silent = fitting.filter(({ header }) => isSilent(header, type))
    take(silent, reach, found)
    const unknown = fitting.filter(each => !silent.includes(each))
    const [header, second] = new Set(unknown.map(({ header: { words } }) => words))
    const isForeign = unknown.every(({ header: { meanings, isUnderstood } }) => meanings.size === 0 && !isUnderstood)
    if (header !== undefined && header !== '' && second === undefined && isForeign && found.isFree(`${reach}1`))
      take(unknown, reach, found)
  }
}

function take(columns: readonly ReadColumn[], reach: Reach, found: Suggestions): void {
  for (const { column } of columns) found.take(column, ...fieldsOfTarget(reach))
}
