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

/** A name: NFC, trimmed, 1 to `most` characters, no control characters. Messages call it `what`. */
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

/** The schema of a name after normalization. */
export function nameSchema(most: number) {
  return { type: 'string', minLength: 1, maxLength: most, pattern: String.raw`^\P{Cc}*$` }
}

export function nameMessage(what: string, most: number): string {
  return `${what} takes 1 to ${most} characters, without control characters`
}

/** One of several words. */
export function word(what: string, choices: readonly string[], initial: string, form: FieldForm = {}): Field<string> {
  const check = { isValid: (value: string) => choices.includes(value), reason: reasonOf(what, choices) }
  return text(initial, check, { ...form, choices })
}

const reasonOf = (what: string, words: readonly string[]) => (value: string) => wordMessage(what, words, value)

/** How a text is checked, and the message for an invalid one. */
export interface TextCheck {
  isValid(text: string): boolean
  reason(text: string): string
}

/** A text with its own check. */
export function text(initial: string, check: TextCheck, form: FieldForm): Field<string> {
  return { column: 'text', input: { type: 'string' }, form, initial, inspect: inspecting(check) }
}

/** The same, or null. */
export function nullable(field: Field<string>): Field<string | null> {
  return { ...field, input: { type: ['string', 'null'] }, initial: null }
}

/** A list of at most 200 distinct texts that are checked one by one. */
export function texts(check: TextCheck, form: FieldForm = {}): Field<readonly string[]> {
  return {
    column: 'text[]',
    input: { type: 'array', items: { type: 'string' }, maxItems: 200 },
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

/** A boolean. */
export function yesOrNo(initial: boolean, form: FlagForm): Field<boolean> {
  return { ...flag(initial, form.yes.help), form }
}

/** Whether a setting is active; initially it is. */
export function inUse(form: FlagForm): Field<boolean> {
  return { ...yesOrNo(true, form), patchOnly: true }
}

const highestRate = 1_000_000_000

/** Requests per minute. The owner of an organization may set at most the values of the specification. */
export function rate(what: string, initial: number, form: FieldForm): Field<number> {
  return {
    column: 'integer',
    input: { type: 'integer', minimum: 1, maximum: highestRate },
    form: { ...form, ownerMaximum: initial },
    initial,
    explain: () => `${what} is a whole number of requests per minute, from 1 to ${highestRate}`,
  }
}

/** Bytes, up to the largest safe integer. */
export function bytes(what: string, column: string, initial: number, form: FieldForm): Field<number> {
  return {
    column: 'bigint',
    select: `t.${column}::double precision`,
    input: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    form: { ...form, unit: 'size' },
    initial,
    explain: () => `${what} is a whole number of bytes, from 0 to ${Number.MAX_SAFE_INTEGER}`,
  }
}

/** A value that the server stores and never shows, not even in audit entries. */
export function secret(column: string): Field<string> {
  return { column, output: {}, initial: '' }
}

/** The position among the others of its kind. */
export function position(): Field<number> {
  return computed(0, { column: 'integer', schema: { type: 'integer', minimum: 0 } })
}

/** Input for a new setting that is not stored in a field of its own. */
export function onlyForNew(form?: FieldForm): Field<string> {
  return { initial: '', createOnly: true, ...(form === undefined ? {} : { form }) }
}

/** The input type of these fields. */
export type InputOf<F extends Fields> = { readonly [Name in keyof F]?: ValueOf<F[Name]> | undefined }
