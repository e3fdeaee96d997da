import { computed, type Field, tidyText } from '../kernel/schema/index.ts'
import { wordMessage } from './values.ts'

/** A name: NFC, trimmed, 1 to `most` characters, no control characters. `what` is what messages call it. */
export function name(what: string, most = 200): Field<string> {
  return {
    column: 'text',
    input: nameSchema(most),
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
export function word<const Word extends string>(
  what: string,
  words: readonly Word[],
  initial: NoInfer<Word>,
): Field<Word> {
  const isWord = (value: string) => words.some(one => one === value)
  return text(initial, isWord, value => wordMessage(what, words, value))
}

/** A text that is checked by itself. */
export function text<Value extends string>(initial: Value, isValid: IsValid, reason: Reason): Field<Value> {
  return { column: 'text', input: { type: 'string' }, initial, inspect: inspecting(isValid, reason) }
}

/** The same, or null. */
export function nullable(field: Field<string>): Field<string | null> {
  return { ...field, input: { type: ['string', 'null'] }, initial: null }
}

/** A list of texts that are checked one by one, each of them once. */
export function texts(isValid: IsValid, reason: Reason): Field<readonly string[]> {
  return {
    column: 'text[]',
    input: { type: 'array', items: { type: 'string' } },
    initial: [],
    tidy: value => (Array.isArray(value) ? [...new Set(value)] : value),
    inspect: inspecting(isValid, reason),
  }
}

type IsValid = (text: string) => boolean
/** What to tell of a text that is not valid. */
type Reason = (text: string) => string

/** Checks a text, or each of a list; null is valid. */
export function inspecting(isValid: IsValid, reason: Reason): NonNullable<Field['inspect']> {
  return (value, path) => {
    const wrong = [value].flat().find(each => each !== null && !isValid(String(each)))
    return wrong === undefined ? [] : [{ path, rule: 'format', message: reason(String(wrong)) }]
  }
}

export function flag(initial: boolean): Field<boolean> {
  return { column: 'boolean', input: { type: 'boolean' }, initial }
}

const highestRate = 1_000_000_000

/** Requests per minute. */
export function rate(what: string, initial: number): Field<number> {
  return {
    column: 'integer',
    input: { type: 'integer', minimum: 1, maximum: highestRate },
    initial,
    explain: () => `${what} is a whole number of requests per minute, from 1 to ${highestRate}`,
  }
}

/** Bytes, as many as a number counts exactly. */
export function bytes(what: string, column: string, initial: number): Field<number> {
  return {
    column: 'bigint',
    select: `t.${column}::double precision`,
    input: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
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
