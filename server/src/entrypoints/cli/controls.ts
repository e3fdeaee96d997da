import { type Command, Option } from 'commander'
import type { JsonObject } from '../../kernel/schema/index.ts'
import { type Control, parseDuration, parseSize } from '../../settings/index.ts'
import { listOf, numberOf } from './words.ts'

/** The options of a command, by their names in camel case. */
export type GivenOptions = Readonly<Record<string, unknown>>

/** Adds the options of controls to a command that creates or changes something. */
export function addControls(command: Command, controls: readonly Control[], action: 'create' | 'set'): Command {
  for (const option of controls.flatMap(control => optionsOf(control, action))) command.addOption(option)
  return command
}

/** The input from the options of these controls. Throws an `AdministrationError` for an option that cannot be parsed. */
export function valuesOf(options: GivenOptions, controls: readonly Control[]): JsonObject {
  return Object.fromEntries(
    controls.flatMap(control => {
      const value = control.type === 'flag' ? flagIn(options, control) : valueIn(options, control)
      return value === undefined ? [] : [[control.name, value]]
    }),
  )
}

function optionsOf(control: Control, action: 'create' | 'set'): Option[] {
  const { form, isRequired, type } = control
  if (type === 'flag') return flagOptions(control, action)
  const option = new Option(`--${optionOf(control)}`, action === 'create' ? helpOfNew(control) : helpOf(control))
  option.makeOptionMandatory(action === 'create' && isRequired)
  if (action === 'create' || form.none === undefined) return [option]
  return [option, new Option(`--no-${option.name()}`, form.none)]
}

/** A new record has one of the two values as its default, so it needs only the option for the other. */
function flagOptions({ field, form: { yes, no } }: Control, action: 'create' | 'set'): Option[] {
  const offered = action === 'set' ? [yes, no] : [field.initial === true ? no : yes]
  const options = offered.flatMap(each => (each === undefined ? [] : new Option(`--${each.option}`, each.help)))
  const [one, other] = options
  if (one !== undefined && other !== undefined && !other.negate) other.conflicts(one.attributeName())
  return options
}

function flagIn(options: GivenOptions, { form: { yes, no } }: Control): boolean | undefined {
  const isGiven = (flag: typeof yes) => {
    if (flag === undefined) return false
    const option = new Option(`--${flag.option}`)
    return options[option.attributeName()] === !option.negate
  }
  return isGiven(yes) ? true : isGiven(no) ? false : undefined
}

function valueIn(options: GivenOptions, control: Control): unknown {
  const { [new Option(`--${optionOf(control)}`).attributeName()]: given } = options
  if (given === undefined) return undefined
  const { form, type } = control
  if (given === false) return type === 'words' ? [] : null
  if (type === 'items') return Array.isArray(given) ? given.map(text => form.item?.(String(text))) : []
  const text = String(given)
  if (type === 'size') return parseSize(text)
  if (type === 'duration') return parseDuration(text)
  if (type === 'number') return numberOf(text)
  return type === 'words' ? listOf(text) : text
}

/** `time-zone <zone>` */
function optionOf({ form, name, type }: Control): string {
  const word = optionName({ form, name })
  return form.option ?? `${word} <${type === 'number' ? 'n' : word}>`
}

/** The name of a control's option, without its argument: `time-zone`. */
export function optionName({ form: { option }, name }: Pick<Control, 'form' | 'name'>): string {
  return option?.replace(/ .*/u, '') ?? name.replaceAll(/[A-Z]/gu, letter => `-${letter.toLowerCase()}`)
}

function helpOf({ choices, help }: Control): string {
  if (choices.length === 0) return help
  return help === '' ? `one of ${choices.join(', ')}` : `${help}: ${choices.join(', ')}`
}

/** The help text, with the default of a new record. */
function helpOfNew(control: Control): string {
  const { field, form, isRequired } = control
  const { usual = typeof field.initial === 'string' && !isRequired ? field.initial : '' } = form
  return usual === '' ? helpOf(control) : `${helpOf(control)} (${usual})`
}
