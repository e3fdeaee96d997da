import { createHash } from 'node:crypto'
import { isObject, type JsonObject, type JsonSchema } from '../schema/index.ts'
import { propertiesOf } from './children.ts'

type Resolve = (ref: string) => JsonSchema

/**
 * A complete answer for a published schema: the examples of its members, and plausible values elsewhere; null where a member may be null.
 * `name` is the member that the schema describes, so that equal names get equal ids.
 */
export function answerExample(schema: JsonSchema, resolve: Resolve, name: string): unknown {
  const { $ref, items } = schema
  const given = givenIn(schema)
  if (given !== undefined) return given
  if (typeof $ref === 'string') return answerExample(resolve($ref), resolve, name)
  if (takesNull(schema)) return null
  const members = propertiesOf(schema)
  // An element of a batch has data or an error. The example shows one with data.
  const told = (member: JsonSchema, key: string) =>
    key === 'error' && 'data' in members ? undefined : answerExample(member, resolve, nameOf(key, name))
  if (isObject(schema.properties)) return mapMembers(members, told)
  if (isObject(items)) return arrayExample(items, resolve, name)
  return sensibleValue(schema, name)
}

/** A request for a published schema: the members with examples, and the required ones. */
export function requestExample(schema: JsonSchema, resolve: Resolve, name: string): unknown {
  const { $ref } = schema
  if (typeof $ref === 'string' && givenIn(schema) === undefined) return requestExample(resolve($ref), resolve, name)
  const given = givenRequest(schema, resolve)
  if (given !== undefined) return given
  return schema.type === 'object' ? requiredMembers(schema, resolve) : sensibleValue(schema, name)
}

/** The members of a request that have examples, with their required siblings; undefined if none has an example. */
function givenRequest(schema: JsonSchema, resolve: Resolve): unknown {
  const { $ref, items, readOnly } = schema
  if (readOnly === true) return undefined
  const given = givenIn(schema)
  if (given !== undefined) return isEmpty(given) ? undefined : given
  if (typeof $ref === 'string') return givenRequest(resolve($ref), resolve)
  const members = mapMembers(propertiesOf(schema), member => givenRequest(member, resolve))
  if (!isEmpty(members)) return { ...requiredMembers(schema, resolve), ...members }
  const item = isObject(items) ? givenRequest(items, resolve) : undefined
  return item === undefined ? undefined : [item]
}

function requiredMembers(schema: JsonSchema, resolve: Resolve): JsonObject {
  const { required } = schema
  const isRequired = (key: string) => Array.isArray(required) && required.includes(key)
  return mapMembers(propertiesOf(schema), (member, key) =>
    isRequired(key) ? requestExample(member, resolve, key) : undefined,
  )
}

/** A list of one element; empty for texts that the schema does not describe. */
function arrayExample(items: JsonSchema, resolve: Resolve, name: string): unknown[] {
  if (typeof items.$ref === 'string') return arrayExample(resolve(items.$ref), resolve, name)
  const known = items.type !== 'string' || items.format !== undefined || givenIn(items) !== undefined
  return known ? [answerExample(items, resolve, name.replace(/Ids$/u, 'Id'))] : []
}

/** Whether a value may be null. A component that may be null is published as a union with null. */
function takesNull({ type, anyOf }: JsonSchema): boolean {
  const types = Array.isArray(anyOf) ? anyOf.filter(isObject).map(form => form.type) : type
  return Array.isArray(types) && types.includes('null')
}

function givenIn({ examples, enum: words, ...schema }: JsonSchema): unknown {
  if (Array.isArray(examples)) return examples[0]
  if ('const' in schema) return schema.const
  if (schema.default !== undefined) return schema.default
  return Array.isArray(words) && words.length === 1 ? words[0] : undefined
}

const moment = '2026-01-31T09:15:00.000Z'
const sensibleTexts: Readonly<Record<string, string>> = {
  actorType: 'application',
  cursor: 'eyJzZXEiOjQyfQ',
  nextCursor: 'eyJzZXEiOjQyfQ',
  rank: 'a0',
  resourceType: 'contact',
}

function sensibleValue({ type, format, minimum, enum: words }: JsonSchema, name: string): unknown {
  if (Array.isArray(words)) return words[0]
  if (type === 'integer' || type === 'number') return minimum ?? 1
  if (type === 'boolean') return false
  if (type === 'object') return {}
  if (type === 'array') return []
  if (format === 'uuid') return exampleUuid(name)
  if (format === 'date-time') return moment
  return format === 'date' ? moment.slice(0, 10) : (sensibleTexts[name] ?? name)
}

/** An id that is equal for equal names: a deal's `contactIds` and the `id` of the contact agree. */
export function exampleUuid(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex')
  return `019bd1c8-7c40-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`
}

/** Other records refer to the id of a record by the record's name; `data` is an envelope, not a name. */
function nameOf(key: string, owner: string): string {
  if (key === 'id') return `${owner}Id`
  return key === 'data' ? owner : key
}

function mapMembers(
  properties: Readonly<Record<string, JsonSchema>>,
  example: (member: JsonSchema, key: string) => unknown,
): JsonObject {
  const entries = Object.entries(properties).map(([key, member]) => [key, example(member, key)])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}
