import type { Suggestions, TargetedColumn } from './suggestions.ts'

/**
 * Suggests columns for the names of contacts. A full name is suggested only where the file has no first and last name in columns of their
 * own: in a row that has one of these, the full name is not used. A column called only `Name` beside first names has the last names.
 */
export function suggestNames(columns: readonly TargetedColumn[], found: Suggestions): void {
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
