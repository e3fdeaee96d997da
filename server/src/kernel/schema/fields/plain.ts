import { toUtc } from '../dates.ts'
import type { Field } from '../field.ts'
import type { JsonSchema } from '../json.ts'
import { searchForm, tidyText, visiblePattern } from '../text.ts'

interface Common {
  readonly description?: string
  readonly example?: unknown
}

interface TextOptions extends Common {
  readonly max: number
  /** A regular expression that the whole text matches. */
  readonly pattern?: string
  /** Free text keeps its outer white space. */
  readonly keepSpace?: boolean
  readonly searched?: boolean
  readonly patchOnly?: boolean
}

const text = (options: TextOptions) => ({
  column: 'text',
  ...(options.searched ? ({ search: 'names' } as const) : {}),
  ...(options.patchOnly ? { patchOnly: true } : {}),
  ...(options.pattern === undefined ? { freeText: true } : {}),
  ...described(options),
  searchText: (value: string | null) => (value === null ? '' : searchForm(value)),
})

/** A text that may be empty: null, absent and blank are the same. */
export function optionalText(options: TextOptions): Field<string | null> {
  return {
    ...text(options),
    input: { type: ['string', 'null'], minLength: 1, maxLength: options.max, ...pattern(options) },
    initial: null,
    tidy: value => {
      if (typeof value !== 'string') return value
      const tidied = tidyText(value)
      if (tidied === '') return null
      return options.keepSpace ? value.normalize('NFC') : tidied
    },
  }
}

/** A text without which the record cannot be. */
export function requiredText(options: TextOptions): Field<string> {
  return {
    ...text(options),
    input: { type: 'string', minLength: 1, maxLength: options.max, ...pattern(options) },
    requiredOnCreate: true,
    initial: '',
    tidy: value => (typeof value === 'string' ? tidyText(value) : value),
    searchText: searchForm,
  }
}

/** An integer or null. */
export function optionalInteger(options: Common & { minimum: number; maximum: number }): Field<number | null> {
  const { minimum, maximum } = options
  return {
    column: 'integer',
    input: { type: ['integer', 'null'], minimum, maximum },
    initial: null,
    ...described(options),
  }
}

interface ChoiceOptions extends Common {
  /** Component of the words in the OpenAPI document: `TaskStatus`. */
  readonly component: string
}

/** One of the given words, or null. */
export function optionalChoice<const Word extends string>(
  words: readonly Word[],
  options: ChoiceOptions,
): Field<Word | null> {
  const { component } = options
  return {
    column: 'text',
    input: { component, type: ['string', 'null'], enum: [...words, null] },
    initial: null,
    ...described(options),
  }
}

/** One of the given words; of a new record the initial one, unless its request says otherwise. */
export function choice<const Word extends string>(
  words: readonly Word[],
  options: ChoiceOptions & { initial: NoInfer<Word> },
): Field<Word> {
  const { component, initial } = options
  return { column: 'text', input: { component, type: 'string', enum: words }, initial, ...described(options) }
}

/** A calendar date or null. */
export function optionalDate(options: Common = {}): Field<string | null> {
  return { column: 'date', input: { type: ['string', 'null'], format: 'date' }, initial: null, ...described(options) }
}

/** A moment, in whatever offset it is sent. Of a new record it is '' until its request or its rules say it. */
export function dateTime(options: Common = {}): Field<string> {
  return {
    column: 'timestamptz',
    input: { type: 'string', format: 'date-time' },
    initial: '',
    ...described(options),
    accept: value => toUtc(String(value)),
  }
}

/** A moment or null, in whatever offset it is sent. */
export function optionalDateTime(options: Common = {}): Field<string | null> {
  return {
    column: 'timestamptz',
    input: { type: ['string', 'null'], format: 'date-time' },
    initial: null,
    ...described(options),
    accept: value => (typeof value === 'string' ? toUtc(value) : null),
  }
}

interface ComputedOptions extends Common {
  readonly column: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly readGuard?: Field['readGuard']
}

/** A field that requests cannot set: the server computes it. */
export function computed<Value>(initial: Value, options: ComputedOptions): Field<Value> {
  return {
    column: options.column,
    output: { '': options.schema },
    initial,
    ...(options.readGuard ? { readGuard: options.readGuard } : {}),
    ...described(options),
  }
}

function pattern({ pattern }: TextOptions): JsonSchema {
  return pattern === undefined ? { documented: { pattern: visiblePattern } } : { pattern }
}

function described(options: Common): Common {
  return {
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.example === undefined ? {} : { example: options.example }),
  }
}

/** Marks a field as holding a person's data: anonymizing empties it. */
export function personal<Value>(field: Field<Value>): Field<Value> {
  return { ...field, personal: true }
}
