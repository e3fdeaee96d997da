import type { SurveyedColumn } from '../reading/survey.ts'
import { type Reach, reachOf } from './cells.ts'
import type { EntityType } from './entity-types.ts'
import { isSilent, targetOf } from './header-patterns.ts'
import type { ImportField } from './import-fields.ts'
import { readHeader } from './read-header.ts'
import { fieldsOfTarget, isFilled, type ReadColumn, Suggestions, type TargetedColumn } from './suggestions.ts'

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

/**
 * Suggests columns for the names of contacts. A full name is suggested only where the file has no first and last name in columns of their
 * own: in a row that has one of these, the full name is not used. A column called only `Name` beside first names has the last names.
 */
function suggestNames(columns: readonly TargetedColumn[], found: Suggestions): void {
  const first = (target: string) => columns.find(({ says }) => says.target === target)
  const has = (key: string) => !found.isFree(key) || first(key) !== undefined
  const [given, name, full] = [first('given'), first('name'), first('fullName')]
  const isDivided = has('lastName') && (has('firstName') || given !== undefined)
  if (full !== undefined && !isDivided && found.take(full.column, 'fullName')) found.close('firstName', 'lastName')
  else if (name !== undefined && !has('lastName')) found.take(name.column, has('firstName') ? 'lastName' : 'fullName')
  if (given !== undefined && !has('firstName')) found.take(given.column, has('lastName') ? 'firstName' : namesIn(given))
  found.close('fullName')
}

/** Whether a word for any name means the first name. */
function namesIn({ header, column }: TargetedColumn): string {
  const isWhole = header.meanings.has('person') || column.samples.some(sample => /\S\s+\S/u.test(sample))
  return isWhole ? 'fullName' : 'firstName'
}

/**
 * Suggests the columns of one address. Exports have several, such as a mailing and a billing address, whose parts must not be mixed. One with
 * at least three parts that have values is preferred, then the one whose kind is the best. Parts that it lacks are taken from an address of
 * no kind.
 */
function suggestAddress(columns: readonly TargetedColumn[], found: Suggestions): void {
  const parts = columns.filter(({ says }) => says.target.startsWith('address.'))
  const sets = new Map<string, TargetedColumn[]>()
  for (const part of parts) sets.set(part.says.set, [...(sets.get(part.says.set) ?? []), part])
  const [best = []] = [...sets.values()].toSorted((one, other) => meritOf(other) - meritOf(one))
  for (const { column, says } of [...best, ...(sets.get(plainSet) ?? [])]) found.take(column, says.target)
  found.close(...parts.map(({ says }) => says.target))
}

/** The set of an address without a kind and a number. */
const plainSet = '1'

const partsOfWholeAddress = 3

/** Parts with values count most, then all parts; more than a few make no difference. The order of the kinds and numbers decides the rest. */
function meritOf(set: readonly TargetedColumn[]): number {
  const count = (columns: readonly TargetedColumn[]) =>
    Math.min(partsOfWholeAddress, new Set(columns.map(({ says }) => says.target)).size)
  const [, kind = 0, , number = 1] = set[0]?.says.rank ?? []
  return 1e6 * count(set.filter(isFilled)) + 1e4 * count(set) - 100 * kind - Math.min(number, 99)
}

/**
 * Suggests columns of e-mail addresses, phone numbers and websites by their values where the header says nothing. Columns whose header has
 * only unknown words are suggested if nothing else in the file has such values, apart from columns with the same words: the addresses of the
 * only ones are those of the records, but among several they could be those of others.
 */
function suggestByCells(columns: readonly ReadColumn[], type: EntityType, found: Suggestions): void {
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
