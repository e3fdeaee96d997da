import { createRequire } from 'node:module'
import type * as ajv from 'ajv/dist/2020.js'
import type { Issue } from '../errors/index.ts'
import { limits } from '../limits/limits.ts'
import { isCountry } from './countries.ts'
import { isDate, isDateTime } from './dates.ts'
import { isEmail } from './email.ts'
import { isExternalId, isUuid } from './ids.ts'
import { isObject, type JsonSchema } from './json.ts'
import { pointer } from './json-pointer.ts'
import { isCurrency } from './money.ts'
import { uuidSchema } from './uuid.ts'

/** Checks a value and gives all its issues, with paths below `path`. */
export type Check = (value: unknown, path: string) => Issue[]

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: isUuid,
  date: isDate,
  'date-time': isDateTime,
  'date-or-date-time': text => isDate(text) || isDateTime(text),
  'external-id': isExternalId,
  currency: isCurrency,
  country: isCountry,
  email: isEmail,
  // `URL` ignores tabs and line ends, but the text is stored as it was sent, so they are refused.
  'web-address': text => !/\p{Cc}/u.test(text) && URL.canParse(text) && /^https?:\/\//iu.test(text),
}

/** JSON Schemas that other schemas refer to with `{$ref: name}`. */
export const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  Reference: {
    type: 'object',
    description: 'A record, by its id or by your externalId for it: exactly one of the two.',
    properties: {
      id: uuidSchema,
      externalId: { type: 'string', format: 'external-id', maxLength: limits.externalIdLength },
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
      externalId: { type: 'string', format: 'external-id', maxLength: limits.externalIdLength },
      expectedVersion: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    },
    additionalProperties: false,
    // A check in code reports a wrong reference as one issue, where these keywords would give several.
    documented: {
      dependentSchemas: { id: { propertyNames: { type: 'string', not: { type: 'string', const: 'externalId' } } } },
      not: { propertyNames: { type: 'string', const: 'expectedVersion' } },
    },
  },
}

/**
 * Keywords that check nothing: an example, the name of the component of the OpenAPI document, and what that says instead of
 * other keywords of the schema, or beside them.
 */
const annotations = ['example', 'component', 'documented']

// The thorough validator finds every issue. A hostile body could have millions, so the quick one first asks whether
// there is any.
const [thorough, quick] = [atFirstUse(() => createAjv(true)), atFirstUse(() => createAjv(false))]
const mostThorough = 20_000

// Loading its many files takes longer than a command runs, and a check cannot wait for an import.
const load = createRequire(import.meta.url)

function createAjv(allErrors: boolean): ajv.Ajv2020 {
  const { Ajv2020 }: typeof ajv = load('ajv/dist/2020.js')
  const instance = new Ajv2020({
    allErrors,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    verbose: false,
    // Optimizing the compiled code takes a third of the time of compiling, and makes no check faster.
    code: { optimize: false },
  })
  for (const [name, check] of Object.entries(formats)) instance.addFormat(name, { type: 'string', validate: check })
  for (const annotation of annotations) instance.addKeyword(annotation)
  for (const [name, schema] of Object.entries(sharedSchemas)) instance.addSchema(schema, name)
  return instance
}

/**
 * Prepares the check of a JSON Schema (draft 2020-12). It is compiled when it is first needed: a command needs hardly any,
 * and compiling all of them takes longer than the rest of its start. For a large value only the first issue is reported.
 */
export function compileSchema(schema: JsonSchema): Check {
  const quickCheck = atFirstUse(() => quick().compile(schema))
  uncompiled.add(quickCheck)
  const thoroughCheck = atFirstUse(() => thorough().compile(schema))
  return (value, path) => {
    const isValid = quickCheck()
    if (isValid(value)) return []
    const first = isValid.errors ?? []
    if (countValues(value, mostThorough) > mostThorough) return toIssues(first, path)
    const validate = thoroughCheck()
    validate(value)
    return toIssues(validate.errors ?? first, path)
  }
}

const uncompiled = new Set<() => unknown>()

/**
 * Compiles the checks that are waiting for their first use, with a pause after each. A server does so before it listens:
 * compiling with the first request would hold up all others for a tenth of a second. Throws what the compiler throws.
 */
export async function compileSchemas(): Promise<void> {
  for (const compile of uncompiled) {
    uncompiled.delete(compile)
    compile()
    await new Promise(resolve => setImmediate(resolve))
  }
}

function atFirstUse<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}

/** The number of members and elements on all levels. Counting stops soon after `most`. */
function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const member of Object.values(value)) {
    count += 1 + countValues(member, most - count)
    if (count > most) break
  }
  return count
}

/** For a value that may also be null, the issue that it is not null is left out: the other issues say what is wrong. */
function toIssues(errors: readonly ajv.ErrorObject[], path: string): Issue[] {
  const isMeant = ({ keyword, params, schemaPath }: ajv.ErrorObject) =>
    keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null' && schemaPath.includes('/anyOf/'))
  return errors.filter(isMeant).map(error => toIssue(error, path))
}

function toIssue(error: ajv.ErrorObject, path: string): Issue {
  const at = `${path}${error.instancePath}`
  const { missingProperty, additionalProperty, allowedValues, format } = error.params
  switch (error.keyword) {
    case 'required':
      return { path: `${at}/${pointer(String(missingProperty))}`, rule: 'required', message: 'This is required' }
    case 'additionalProperties':
      return {
        path: `${at}/${pointer(String(additionalProperty))}`,
        rule: 'unknown_field',
        message: 'Unknown or read-only',
      }
    case 'enum':
      return { path: at, rule: 'enum', message: `One of ${describeWords(allowedValues)} is expected` }
    case 'format':
      return { path: at, rule: 'format', message: `Not a valid ${format}` }
    case 'minProperties':
    case 'maxProperties':
      return {
        path: at,
        rule: error.keyword,
        message: isReference(error) ? 'Exactly one of id, externalId is expected' : text(error),
      }
    default:
      return { path: at, rule: error.keyword, message: text(error) }
  }
}

function describeWords(words: unknown): string {
  return Array.isArray(words) ? words.map(word => JSON.stringify(word)).join(', ') : 'the listed values'
}

function isReference(error: ajv.ErrorObject): boolean {
  return error.schemaPath.startsWith('Reference') || (isObject(error.params) && error.params.limit === 1)
}

function text(error: ajv.ErrorObject): string {
  return error.message ?? 'Not valid'
}
