import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
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

/** Checks a value; every issue is reported, with paths below `path`. */
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
  // The parser drops tabs and line ends; what is stored is what was sent.
  'web-address': text => !/\p{Cc}/u.test(text) && URL.canParse(text) && /^https?:\/\//iu.test(text),
}

/** JSON Schemas that others name with `{$ref: name}`. */
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
}

/**
 * Keywords that check nothing: an example, the name of the component of the OpenAPI document, and what that says instead of
 * other keywords of the schema, or beside them.
 */
const annotations = ['example', 'component', 'documented']

// One finds every issue, which a hostile body could make millions of; so the other asks first whether there is one.
const [thorough, quick] = [createAjv(true), createAjv(false)]
const mostThorough = 20_000

function createAjv(allErrors: boolean): Ajv2020 {
  const instance = new Ajv2020({
    allErrors,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    verbose: false,
  })
  for (const [name, check] of Object.entries(formats)) instance.addFormat(name, { type: 'string', validate: check })
  for (const annotation of annotations) instance.addKeyword(annotation)
  for (const [name, schema] of Object.entries(sharedSchemas)) instance.addSchema(schema, name)
  return instance
}

/** Compiles a JSON Schema (draft 2020-12) once, for many checks. Of a large value only the first issue is reported. */
export function compileSchema(schema: JsonSchema): Check {
  const isValid = quick.compile(schema)
  let validate: ValidateFunction | undefined
  return (value, path) => {
    if (isValid(value)) return []
    const first = isValid.errors ?? []
    if (countValues(value, mostThorough) > mostThorough) return toIssues(first, path)
    // Compiled when something is wrong for the first time: most schemas are never needed twice.
    validate ??= thorough.compile(schema)
    validate(value)
    return toIssues(validate.errors ?? first, path)
  }
}

/** How many members and elements a value has, of all levels; counted to `most` and not much further. */
function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  for (const member of Object.values(value)) {
    count += 1 + countValues(member, most - count)
    if (count > most) break
  }
  return count
}

/** Of a value that may also be null, what is wrong with it as it is: not that it is not null. */
function toIssues(errors: readonly ErrorObject[], path: string): Issue[] {
  const isMeant = ({ keyword, params, schemaPath }: ErrorObject) =>
    keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null' && schemaPath.includes('/anyOf/'))
  return errors.filter(isMeant).map(error => toIssue(error, path))
}

function toIssue(error: ErrorObject, path: string): Issue {
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

function isReference(error: ErrorObject): boolean {
  return error.schemaPath.startsWith('Reference') || (isObject(error.params) && error.params.limit === 1)
}

function text(error: ErrorObject): string {
  return error.message ?? 'Not valid'
}
