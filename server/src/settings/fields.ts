import {
  computed,
  type Field,
  type FieldForm,
  type Fields,
  flag,
  tidyText,
  type ValueOf,
} from '../kernel/schema/index.ts'
import { wordMessage } from './values.ts'

/** A name: NFC, trimmed, 1 to `most` characters, no control characters. `what` is what messages call it. */
export function name(what: string, form: FieldForm, most = 200): Field<string> {
  return {
    column: 'text',
    input: nameSchema(most),
    form,
    requiredOnCreate: true,
    initial: '',
    tidy: value => (typeof value === 'string' ? tidyText(value) : value),
    explain: () => nameMessage(what, most),
  }
}

/** The form of a name, tidied before. */
export function nameSchema(most: number) {
  return { type: 'string', minLength: 1, maxLength: most, pattern: String.raw`^\P{Cc}*$` }
}

export function nameMessage(what: string, most: number): string {
  return `${what} takes 1 to ${most} characters, without control characters`
}

/** One of some words. */
export function word(what: string, choices: readonly string[], initial: string, form: FieldForm = {}): Field<string> {
  const check = { isValid: (value: string) => choices.includes(value), reason: reasonOf(what, choices) }
  return text(initial, check, { ...form, choices })
}

const reasonOf = (what: string, words: readonly string[]) => (value: string) => wordMessage(what, words, value)

/** How a text is checked, and what to say of one that is not valid. */
export interface TextCheck {
  isValid(text: string): boolean
  reason(text: string): string
}

/** A text that is checked by itself. */
export function text(initial: string, check: TextCheck, form: FieldForm): Field<string> {
  return { column: 'text', input: { type: 'string' }, form, initial, inspect: inspecting(check) }
}

/** The same, or null. */
export function nullable(field: Field<string>): Field<string | null> {
  return { ...field, input: { type: ['string', 'null'] }, initial: null }
}

/** A list of texts that are checked one by one, each of them once. */
export function texts(check: TextCheck, form: FieldForm = {}): Field<readonly string[]> {
  return {
    column: 'text[]',
    input: { type: 'array', items: { type: 'string' } },
    form,
    initial: [],
    tidy: value => (Array.isArray(value) ? [...new Set(value)] : value),
    inspect: inspecting(check),
  }
}

/** Checks a text, or each of a list; null is valid. */
export function inspecting({ isValid, reason }: TextCheck): NonNullable<Field['inspect']> {
  return (value, path) => {
    const wrong = [value].flat().find(each => each !== null && !isValid(String(each)))
    return wrong === undefined ? [] : [{ path, rule: 'format', message: reason(String(wrong)) }]
  }
}

type FlagForm = FieldForm & Required<Pick<FieldForm, 'yes'>>

/** Yes or no. */
export function yesOrNo(initial: boolean, form: FlagForm): Field<boolean> {
  return { ...flag(initial, form.yes.help), form }
}

/** Whether a setting is in use, as it is from the beginning. */
export function inUse(form: FlagForm): Field<boolean> {
  return { ...yesOrNo(true, form), patchOnly: true }
}

const highestRate = 1_000_000_000

/** Requests per minute. The owner of an organization may set those of the specification at most. */
export function rate(what: string, initial: number, form: FieldForm): Field<number> {
  return {
    column: 'integer',
    input: { type: 'integer', minimum: 1, maximum: highestRate },
    form: { ...form, ownerMaximum: initial },
    initial,
    explain: () => `${what} is a whole number of requests per minute, from 1 to ${highestRate}`,
  }
}

/** Bytes, as many as a number counts exactly. */
export function bytes(what: string, column: string, initial: number, form: FieldForm): Field<number> {
  return {
    column: 'bigint',
    select: `t.${column}::double precision`,
    input: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    form: { ...form, isSize: true },
    initial,
    explain: () => `${what} is a whole number of bytes, from 0 to ${Number.MAX_SAFE_INTEGER}`,
  }
}

/** What the server keeps and never shows, in audit entries neither. */
export function secret(column: string): Field<string> {
  return { column, output: {}, initial: '' }
}

/** The place among the others of its kind. */
export function position(): Field<number> {
  return computed(0, { column: 'integer', schema: { type: 'integer', minimum: 0 } })
}

/** What is given for a new setting and kept elsewhere than in a field of its own. */
export function onlyForNew(form?: FieldForm): Field<string> {
  return { initial: '', createOnly: true, ...(form === undefined ? {} : { form }) }
}

/** What these fields may be given. */
export type InputOf<F extends Fields> = { readonly [Name in keyof F]?: ValueOf<F[Name]> | undefined }
