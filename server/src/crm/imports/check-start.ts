import { malformed } from '../../kernel/index.ts'
import { type Issue, pointer, type Refusal } from '../../kernel/schema/index.ts'
import type { CountryNames } from './cells/country-code.ts'
import { matchKeysOf } from './dedup-policy.ts'
import type { EntityType } from './fields/entity-types.ts'
import type { ImportField } from './fields/import-fields.ts'
import type { MappedColumn } from './import.ts'
import { canHave } from './rows/read-value.ts'
import type { StartInput } from './start-body.ts'

/**
 * 400: the mapping is not valid for rows of this type: it names unknown fields, or leaves a required field without a column and a default
 * (contract section 10.3).
 */
export function refuseInput(input: StartInput, type: EntityType, fields: readonly ImportField[]): Refusal | null {
  const known = new Set(fields.map(({ key }) => key))
  const given = new Set([...Object.keys(input.mapping), ...Object.keys(input.defaults)])
  const unknown = (member: 'mapping' | 'defaults') =>
    Object.keys(input[member])
      .filter(key => !known.has(key))
      .map(key => ({
        path: `/${member}/${pointer(key)}`,
        rule: 'unknown_field',
        message: `Rows of ${type} have no such field: see the preview`,
      }))
  const missing = fields
    .filter(({ key, isRequired }) => isRequired && !given.has(key))
    .map(({ key }) => required(`${key} is required`))
  const groups = [...new Set(fields.flatMap(({ oneOf }) => oneOf ?? []))].flatMap(group => {
    const keys = fields.filter(({ oneOf }) => oneOf === group).map(({ key }) => key)
    return keys.some(key => given.has(key)) ? [] : [required(`One of ${keys.join(', ')} is required`)]
  })
  const possible = matchKeysOf(type)
  const wrongKeys = input.policy.matchBy
    .filter(key => !possible.includes(key))
    .map(key => ({ path: '/dedupPolicy/matchBy', rule: 'enum', message: `Rows of ${type} are not found by ${key}` }))
  const issues: Issue[] = [...unknown('mapping'), ...unknown('defaults'), ...missing, ...groups, ...wrongKeys]
  return issues.length === 0 ? null : malformed(issues)
}

const required = (message: string): Issue => ({ path: '/mapping', rule: 'required', message })

/** The column of each field; or issues (422) for columns that the file lacks or has several times. */
export function mappedColumns(
  mapping: StartInput['mapping'],
  header: readonly string[],
): { readonly columns: Record<string, MappedColumn>; readonly issues: readonly Issue[] } {
  const columns: Record<string, MappedColumn> = {}
  const issues: Issue[] = []
  for (const [key, column] of Object.entries(mapping)) {
    const name = typeof column === 'string' ? column.normalize('NFC').trim() : null
    const index = typeof column === 'number' ? column : header.indexOf(name ?? '')
    const isDoubled = name !== null && header.lastIndexOf(name) !== index
    if (index < 0 || index >= header.length || isDoubled) {
      const message = isDoubled
        ? 'Several columns have this name: map one by its number'
        : 'The file has no such column'
      issues.push({ path: `/mapping/${pointer(key)}`, rule: 'column', message })
    } else columns[key] = { index, name: header[index] ?? '' }
  }
  return { columns, issues }
}

/** Issues (422) for defaults that cannot be parsed. */
export function wrongDefaults(
  defaults: StartInput['defaults'],
  fields: readonly ImportField[],
  countries: CountryNames,
): Issue[] {
  return Object.entries(defaults).flatMap(([key, text]) => {
    const field = fields.find(each => each.key === key)
    if (field === undefined || canHave(field, text, countries)) return []
    return [{ path: `/defaults/${pointer(key)}`, rule: 'invalid_format', message: 'The field cannot have this value' }]
  })
}
