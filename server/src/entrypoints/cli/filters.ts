import { Option } from 'commander'
import type { Resource } from '../../kernel/index.ts'
import type { JsonObject } from '../../kernel/schema/index.ts'
import type { Control } from '../../settings/index.ts'
import { type GivenOptions, optionName } from './controls.ts'

/** An option of a list, which leaves records out. */
export interface Filter {
  readonly option: Option
  /** Whether a record is listed where the option has this value. */
  keeps(record: JsonObject, value: unknown): boolean
}

/** What can be asked of all records of a kind: parts of their names, whether they are in use, and words that were chosen for them. */
export function listFilters({ fields }: Resource, controls: readonly Control[]): Filter[] {
  const byName: Filter = {
    option: new Option('--name <text>', 'those whose name contains this'),
    keeps: ({ name }, text) => String(name).toLowerCase().includes(String(text).toLowerCase()),
  }
  return [...(fields.name === undefined ? [] : [byName]), ...controls.flatMap(filtersBy)]
}

function filtersBy({ choices, field, form, name, type }: Control): Filter[] {
  if (type === 'text' && choices.length > 0) {
    const word = optionName({ form, name })
    const option = new Option(`--${word} <${word}>`, `those of this ${word}`).choices(choices)
    return [{ option, keeps: (record, choice) => record[name] === choice }]
  }
  // A flag that only a change sets tells whether something is in use.
  if (type !== 'flag' || !field.patchOnly) return []
  const flags = [form.yes, form.no].flatMap(flag => flag ?? [])
  return flags.map(flag => {
    const option = new Option(`--${flag.option}`, `those that are ${flag.option.replace(/^no-/u, 'not ')}`)
    const wanted = flag === form.yes
    return { option, keeps: record => record[name] === wanted }
  })
}

/** The records that all filters keep whose options were given. */
export function filtered(records: readonly JsonObject[], filters: readonly Filter[], options: GivenOptions) {
  const asked = filters.filter(({ option }) => {
    const value = options[option.attributeName()]
    return option.negate ? value === false : value !== undefined && value !== false
  })
  return records.filter(record => asked.every(({ keeps, option }) => keeps(record, options[option.attributeName()])))
}
