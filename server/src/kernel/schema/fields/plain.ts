import { violates } from '../../errors/index.ts'
import { toUtc } from '../dates.ts'
import type { Field, NamesSetting } from '../field.ts'
import { byId, frequencies } from '../filter.ts'
import type { JsonSchema } from '../json.ts'
import { searchForm, tidyText, visiblePattern } from '../text.ts'
import { optionalUuidSchema } from '../uuid.ts'

interface Common {
  readonly description?: string
  readonly example?: unknown
}

interface TextOptions extends Common {
  readonly max: number
  /** A regular expression for the whole text. */
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
  ...(options.keepSpace ? ({ keepsSpace: true } as const) : {}),
  ...described(options),
  searchText: (value: string | null) => (value === null ? '' : searchForm(value)),
})

/** A text that may be empty: null, absent and blank are equal. */
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

/** A text that must not be empty. */
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

/** One of the given words. A new record has the initial one if its request leaves the field out. */
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

/** A timestamp; requests may use any offset. '' in a new record until the request or the rules set it. */
export function dateTime(options: Common = {}): Field<string> {
  return {
    column: 'timestamptz',
    input: { type: 'string', format: 'date-time' },
    initial: '',
    ...described(options),
    accept: value => toUtc(String(value)),
  }
}

/** A timestamp or null; requests may use any offset. */
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
  readonly namesSettings?: Field['namesSettings']
  readonly schema: Readonly<Record<string, unknown>>
  readonly projection?: Field['projection']
  readonly exported?: boolean
}

/** A field that the server computes. Requests cannot set it. */
export function computed<Value>(initial: Value, options: ComputedOptions): Field<Value> {
  return {
    column: options.column,
    output: { '': options.schema },
    initial,
    ...(options.projection ? { projection: options.projection } : {}),
    ...(options.namesSettings ? { namesSettings: options.namesSettings } : {}),
    ...(options.exported ? { exported: true } : {}),
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

/** Marks a field as personal data: anonymizing empties it. */
export function personal<Value>(field: Field<Value>): Field<Value> {
  return { ...field, personal: true }
}

/** The value is the id of the setting. */
export const namesById: NamesSetting = column => `${column} = $2::uuid`

/**
 * An active operator of the organization, or null; 422 otherwise. Not protected: it is a business field. `filter` says what the records
 * have in common that lists choose by it.
 */
export function optionalOperator(description: string, filter?: string): Field<string | null> {
  return {
    column: 'uuid',
    namesSettings: { operator: namesById },
    input: optionalUuidSchema,
    initial: null,
    description,
    ...(filter === undefined ? {} : { filters: { '': byId(filter, { frequency: frequencies.operator }) } }),
    accept(value, previous, { configuration, path }) {
      if (typeof value !== 'string') return null
      const uuid = value.toLowerCase()
      if (uuid === previous) return uuid
      return configuration.operators.get(uuid)?.isActive
        ? uuid
        : violates(path, 'operator', 'Not an active operator of the organization: see directories.operators')
    },
  }
}

/** When the record was anonymized; null if it was not. Answers never contain it, because they are 410 then. */
export const anonymizedAt: Field<string | null> = {
  role: 'anonymizedAt',
  column: 'timestamptz',
  output: {},
  initial: null,
  present: () => ({}),
}
