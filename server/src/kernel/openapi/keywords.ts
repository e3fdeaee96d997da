import { isObject, type JsonSchema } from '../schema/index.ts'

/** Requests are closed: unknown members are refused. Answers are open: members and values may be added in v1. */
export type KeywordUse = 'request' | 'answer'

/** The keywords of one schema, without those below it, in terms that every JSON Schema tool knows. */
export function publishKeywords(schema: JsonSchema, use: KeywordUse): JsonSchema {
  const { example, format, documented, ...keywords } = { ...schema, ...instead(schema) }
  const published = {
    ...typed(definedOnly(keywords)),
    ...(typeof format === 'string' ? publishFormat(format) : {}),
    ...(example === undefined ? {} : { examples: [example] }),
  }
  const { description } = schema
  const noted = typeof description === 'string' ? { ...published, description } : published
  return use === 'answer' ? opened(extensible(noted)) : storable(extensible(noted))
}

/** What a schema declares for the document only. */
function instead({ documented }: JsonSchema): JsonSchema {
  return isObject(documented) ? documented : {}
}

/** Adds sentences to the description of a schema. */
export function describe(schema: JsonSchema, ...notes: readonly (string | undefined)[]): JsonSchema {
  const description = sentences(typeof schema.description === 'string' ? schema.description : undefined, ...notes)
  return description === '' ? schema : { ...schema, description }
}

/** Texts one after another, each ended by a full stop. */
export function sentences(...texts: readonly (string | undefined)[]): string {
  return texts
    .flatMap(text => text || [])
    .map(text => (/[.:?!]$/u.test(text) ? text : `${text}.`))
    .join(' ')
}

const controls = '\\x00-\\x1f\\x7f-\\x9f'
const standardFormats = ['uuid', 'date', 'date-time', 'uri']

// Checks of the server beyond a pattern, such as which codes exist, are described in words.
const ownFormats: Readonly<Record<string, JsonSchema>> = {
  'date-or-date-time': {
    pattern:
      '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])' +
      '([Tt]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d))?$',
  },
  'external-id': { minLength: 1, pattern: `^[^\\s${controls}]([^${controls}]*[^\\s${controls}])?$` },
  currency: { pattern: '^[A-Z]{3}$', description: 'An ISO 4217 code.' },
  country: { pattern: '^[A-Z]{2}$', description: 'An ISO 3166-1 alpha-2 code.' },
  'language-tag': {
    pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
    description: 'A language tag of BCP 47, such as pt-BR.',
  },
  'time-zone': { pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$', description: 'A time zone of the IANA database.' },
  // JSON Schema has two formats for addresses; this one allows any script.
  email: { format: 'idn-email' },
  'web-address': {
    pattern: `^[Hh][Tt][Tt][Pp][Ss]?://[^${controls}]+$`,
    description: 'An absolute http or https address.',
  },
}

function publishFormat(format: string): JsonSchema {
  if (standardFormats.includes(format)) return { format }
  const published = ownFormats[format]
  if (published === undefined) throw new Error(`clients do not know the format ${format}`)
  return published
}

/** Adds the type of listed values: documentation and client generators read it first. */
function typed(schema: JsonSchema): JsonSchema {
  const { enum: listed, type } = schema
  const words = 'const' in schema ? [schema.const] : listed
  if (type !== undefined || !Array.isArray(words)) return sized(schema)
  const types = [...new Set(words.map(word => (word === null ? 'null' : typeof word)))]
  return { type: types.length === 1 ? types[0] : types, ...schema }
}

/** PostgreSQL cannot store U+0000. */
function storable(schema: JsonSchema): JsonSchema {
  const { type, pattern, format, enum: words, const: word } = schema
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'))
  const isFree = [pattern, format, words, word].every(each => each === undefined)
  return isText && isFree ? { ...schema, pattern: '^[^\\x00]*$' } : schema
}

/** Without a format, most generators use 32 bits for an integer. */
function sized(schema: JsonSchema): JsonSchema {
  const { type, maximum } = schema
  const isInteger = type === 'integer' || (Array.isArray(type) && type.includes('integer'))
  const isShort = typeof maximum === 'number' && maximum < 2 ** 31
  return isInteger && !isShort ? { ...schema, format: 'int64' } : schema
}

function opened({ additionalProperties, ...schema }: JsonSchema): JsonSchema {
  return additionalProperties === false ? schema : { ...schema, ...definedOnly({ additionalProperties }) }
}

/** An enumeration that may grow. Generators that support the extension generate types that accept further values. */
function extensible(schema: JsonSchema): JsonSchema {
  const { enum: words } = schema
  if (!Array.isArray(words) || !words.some(word => typeof word === 'string')) return schema
  return {
    ...describe(schema, 'Values may be added within v1.'),
    'x-extensible-enum': words.filter(word => word !== null),
  }
}

/** The members that are not undefined. */
export function definedOnly(members: Readonly<Record<string, unknown>>): JsonSchema {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
