import { createRequire } from 'node:module'
import type * as ajv from 'ajv/dist/2020.js'
import type standalone from 'ajv/dist/standalone/index.js'
import { limits } from '../limits/limits.ts'
import { isCountry } from './countries.ts'
import { isDate, isDateTime } from './dates.ts'
import { isEmail } from './email.ts'
import { isExternalId, isUuid } from './ids.ts'
import type { JsonSchema } from './json.ts'
import { isLanguageTag } from './language-tag.ts'
import { isCurrency } from './money.ts'
import { type CheckKind, checkKey, type Formats } from './prepared-checks.ts'
import { isTimeZone } from './time-zone.ts'
import { uuidSchema } from './uuid.ts'

const externalId = {
  type: 'string',
  format: 'external-id',
  maxLength: limits.externalIdLength,
  description: 'Your own key for it.',
}

const forms: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: isUuid,
  date: isDate,
  'date-time': isDateTime,
  'date-or-date-time': text => isDate(text) || isDateTime(text),
  'external-id': isExternalId,
  currency: isCurrency,
  country: isCountry,
  email: isEmail,
  // `URL` ignores tabs and line breaks, but the text is stored as it was sent, so they are refused.
  'language-tag': isLanguageTag,
  'time-zone': isTimeZone,
  'web-address': text => !/\p{Cc}/u.test(text) && URL.canParse(text) && /^https?:\/\//iu.test(text),
}

/** The checks of `format` in the schemas of this server, in the form that the compiler needs. */
export const formats: Formats = Object.fromEntries(
  Object.entries(forms).map(([name, validate]) => [name, { type: 'string', validate }]),
)

/** JSON Schemas that other schemas refer to with `{$ref: name}`. */
export const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  Reference: {
    type: 'object',
    description: 'A record, by its id or by your externalId for it: exactly one of the two.',
    properties: {
      id: uuidSchema,
      externalId,
    },
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
  },
  VersionedReference: {
    type: 'object',
    description:
      'A record, by its id or by your externalId for it, and the version that it must have, if that matters.',
    properties: {
      id: uuidSchema,
      externalId,
      expectedVersion: {
        type: 'integer',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The version that it must have; any unless given.',
      },
    },
    additionalProperties: false,
    // A check in code reports a wrong reference as one issue; these keywords would report several.
    documented: {
      dependentSchemas: { id: { propertyNames: { type: 'string', not: { type: 'string', const: 'externalId' } } } },
      not: { propertyNames: { type: 'string', const: 'expectedVersion' } },
    },
  },
}

/**
 * Keywords that check nothing: an example, the name of the component in the OpenAPI document, and keywords for that document only, which
 * replace others of the schema or add to them.
 */
const annotations = ['example', 'component', 'documented']

// Loading its many files takes longer than a command runs, and a check cannot wait for a dynamic import.
const load = createRequire(import.meta.url)

/** A compiler of JSON Schemas (draft 2020-12). Its checks find the first issue of a value, or all of them. */
export function createCompiler(allErrors: boolean, code: ajv.Options['code'] = {}): ajv.Ajv2020 {
  const { Ajv2020 }: typeof ajv = load('ajv/dist/2020.js')
  const instance = new Ajv2020({
    allErrors,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    verbose: false,
    // Optimizing the compiled code takes a third of the compile time, and makes no check faster.
    code: { optimize: false, ...code },
  })
  for (const [name, format] of Object.entries(formats)) instance.addFormat(name, format)
  for (const annotation of annotations) instance.addKeyword(annotation)
  for (const [name, schema] of Object.entries(sharedSchemas)) instance.addSchema(schema, name)
  return instance
}

/**
 * The JavaScript of the checks of these schemas, for `PreparedChecks`, so that a server has nothing to compile. `minify` may shorten it:
 * V8 reads all of it at each start. The parentheses around the function make V8 compile it while it reads, instead of reading it twice.
 */
export function sourceOfChecks(
  kind: CheckKind,
  schemas: Iterable<JsonSchema>,
  minify: (source: string) => string = source => source,
): string {
  const { default: codeOf }: typeof standalone = load('ajv/dist/standalone/index.js')
  const { _ }: typeof ajv = load('ajv/dist/2020.js')
  const byKey = new Map([...schemas].map(schema => [checkKey(schema), schema]))
  const compiler = createCompiler(kind === 'thorough', { source: true, formats: _`formats` })
  for (const [key, schema] of byKey) compiler.addSchema(schema, key)
  const source = minify(codeOf(compiler, Object.fromEntries([...byKey.keys()].map(key => [key, key]))))
  return `module.exports = ((formats, require) => {\nconst exports = {};\n${source}\nreturn exports;\n});\n`
}
