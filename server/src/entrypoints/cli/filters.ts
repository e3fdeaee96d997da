import { Option } from 'commander'
import type { Resource } from '../../kernel/index.ts'
import type { JsonObject } from '../../kernel/schema/index.ts'
import type { Control } from '../../settings/index.ts'
import { type GivenOptions, optionName } from './controls.ts'

/** An option of a list that leaves out records. */
export interface Filter {
  readonly option: Option
  /** Whether the option with this value keeps the record. */
  keeps(record: JsonObject, value: unknown): boolean
}

/**
 * The filters that all records of a kind have: by a part of the name, by whether they are in use, and by fields with a fixed set of words.
 */
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
  // A flag that only updates can set states whether something is in use.
  if (type !== 'flag' || !field.patchOnly) return []
  const flags = [form.yes, form.no].flatMap(flag => flag ?? [])
  return flags.map(flag => {
    const option = new Option(`--${flag.option}`, `those that are ${flag.option.replace(/^no-/u, 'not ')}`)
    const wanted = flag === form.yes
    return { option, keeps: record => record[name] === wanted }
  })
}

/** The records that pass the filters of all options given. */
export function filtered(records: readonly JsonObject[], filters: readonly Filter[], options: GivenOptions) {
  const asked = filters.filter(({ option }) => {
    const value = options[option.attributeName()]
    return option.negate ? value === false : value !== undefined && value !== false
  })
  return records.filter(record => asked.every(({ keeps, option }) => keeps(record, options[option.attributeName()])))
}
