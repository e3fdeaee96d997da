import { splitFullName } from '../fields/full-name.rules.ts'
import { saysLastNameFirst } from '../fields/read-header.ts'
import type { PlacedValue } from './place-values.ts'

const partsOfNames = ['firstName', 'middleName', 'lastName']

/** The parts of the full name of a row, in a column with this header. There are none if the row has one of these parts in a column of its own. */
export function namesOfRow(values: ReadonlyMap<string, unknown>, header: string): PlacedValue[] {
  const fullName = values.get('fullName')
  if (typeof fullName !== 'string' || partsOfNames.some(key => values.has(key))) return []
  const parts = Object.entries(splitFullName(fullName, saysLastNameFirst(header)))
  return parts.flatMap(([name, value]) => (value === null ? [] : [{ key: 'fullName', path: [name], value }]))
}
