import {
  type By,
  type Field,
  type FieldForm,
  type Fields,
  type JsonObject,
  labelOf,
  violates,
} from '../kernel/schema/index.ts'
import type { Administration } from './administer.ts'
import { AdministrationError } from './administration-error.ts'
import { wordOf } from './values.ts'

/** How people enter the value of a field: an option of a command or a control of a form. */
export interface Control {
  /** The member of the input. */
  readonly name: string
  readonly label: string
  readonly help: string
  /** The syntax: `words` are separated by commas, `items` are entered one by one. */
  readonly type: 'text' | 'number' | 'size' | 'duration' | 'flag' | 'words' | 'items'
  readonly choices: readonly string[]
  readonly isRequired: boolean
  readonly by: By
  /** The declaration of the field, whose schema has the limits. */
  readonly field: Field
  readonly form: FieldForm
}

/** The controls for a new setting, and those for a change. */
export interface Controls {
  readonly create: readonly Control[]
  readonly set: readonly Control[]
}

/** The controls of these fields, in order. */
export function controlsOf(fields: Fields): Controls {
  const controls = Object.entries(fields).flatMap(([name, field]) => controlOf(name, field) ?? [])
  return {
    create: controls.filter(({ field }) => !field.patchOnly),
    set: controls.filter(({ field }) => !field.createOnly),
  }
}

function controlOf(name: string, field: Field): Control | null {
  const { form, input = {} } = field
  if (form === undefined) return null
  const { label = labelOf(name), help = '', choices = enumerated(input.enum), by = 'owner' } = form
  const isRequired = field.requiredOnCreate === true
  return { name, label, help, type: typeOf(field, form), choices, isRequired, by, field, form }
}

function enumerated(words: unknown): readonly string[] {
  return Array.isArray(words) ? words.flatMap(word => (typeof word === 'string' ? word : [])) : []
}

function typeOf({ input = {}, initial }: Field, form: FieldForm): Control['type'] {
  if (form.yes !== undefined) return 'flag'
  if (form.unit !== undefined) return form.unit
  if (form.item !== undefined) return 'items'
  if (Array.isArray(initial)) return 'words'
  return input.type === 'integer' || typeof initial === 'number' ? 'number' : 'text'
}

/**
 * The input with its kinds of records validated; where the input names none but a choice is offered, all kinds. `kinds` are the existing
 * ones. Throws an `AdministrationError` for an unknown kind.
 */
export function withKinds(
  controls: readonly Control[],
  input: JsonObject,
  kinds: readonly string[],
  words: string,
): JsonObject {
  const chosen = controls.flatMap(({ name, type, form }): [string, unknown][] => {
    if (form.kindsWith === undefined) return []
    const given = input[name]
    if (type === 'text') return given === undefined ? [] : [[name, wordOf('a kind', kinds, String(given))]]
    const named = Array.isArray(given) ? given.map(word => wordOf('a kind', kinds, String(word))) : kinds
    if (named.length === 0) throw new AdministrationError(`a ${words} is for at least one kind of records`)
    return [[name, kinds.filter(kind => named.includes(kind))]]
  })
  return { ...input, ...Object.fromEntries(chosen) }
}

/** Throws an `AdministrationError` if the owner of an organization sets a value that is reserved for the operator of the installation. */
export function expectAllowed({ as }: Administration, controls: readonly Control[], input: JsonObject): void {
  if (as !== 'owner') return
  for (const { name, label, by, form } of controls) {
    const { [name]: value } = input
    const { ownerMaximum = Infinity } = form
    if (value !== undefined && by === 'operator')
      throw reserved(name, `${label}: only the operator of the installation may change it`)
    if (typeof value === 'number' && value > ownerMaximum)
      throw reserved(name, `${label}: only the operator of the installation may set more than ${ownerMaximum}`)
  }
}

function reserved(name: string, message: string): AdministrationError {
  return new AdministrationError(message, violates(`/${name}`, 'operator', message))
}
