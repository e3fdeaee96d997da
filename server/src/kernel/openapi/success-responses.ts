import { STATUS_CODES } from 'node:http'
import type { Resource } from '../abilities/index.ts'
import { nestedName } from '../abilities/nested/create-nested.ts'
import type { Operation } from '../operation.ts'
import { isObject, type JsonObject, type JsonSchema, listSchema } from '../schema/index.ts'
import { propertiesOf } from './children.ts'
import { answerExample } from './example.ts'
import { headersOfSuccess } from './headers.ts'
import { asWritten } from './records.ts'
import type { Schemas } from './schemas.ts'

const redacted: JsonSchema = listSchema(
  { type: 'string' },
  'What this token may not read and was taken away; absent when nothing was.',
)

/** The successes of an operation, by status. */
export function successResponses(operation: Operation, resources: readonly Resource[], schemas: Schemas): JsonObject {
  const { success, answer, idempotent, streams, conventions } = operation
  if (streams !== undefined) return { [success[0]]: streamed(streams, operation) }
  const declared = idempotent ? asWritten(answer.data, resources) : answer.data
  const meta = withRedacted(answer.meta)
  const { envelope } = conventions
  const marks = Object.entries(envelope.success).map(([name, value]) => [
    name,
    { type: 'string', const: value, description: `Always ${value}.` },
  ])
  const properties: Record<string, JsonSchema> = {
    ...Object.fromEntries(marks),
    data: declared,
    ...(envelope.hasMeta ? { meta } : {}),
  }
  const title = answer.name ?? answerName(declared, meta)
  const schema = schemas.publish({ title, type: 'object', required: Object.keys(properties), properties }, 'answer')
  const group = operation.id.replace(/\.\w+$/u, '')
  const name = resources.find(resource => nestedName(resource) === group)?.kind ?? group
  const responses = success.map(status => {
    const content = { 'application/json': { schema, example: exampleOf(operation, schema, status, name, schemas) } }
    return [status, { description: STATUS_CODES[status] ?? 'Success', headers: headersOfSuccess(operation), content }]
  })
  return Object.fromEntries(responses)
}

/** A success that is a file. */
function streamed(mediaType: string, operation: Operation): JsonObject {
  const content = { [mediaType]: { schema: { type: 'string', contentMediaType: mediaType } } }
  return { description: 'The file, as it is made.', headers: headersOfSuccess(operation), content }
}

/** The meta of any answer may report redaction. */
function withRedacted(meta: JsonSchema): JsonSchema {
  const common = meta.properties === undefined ? { title: 'AnswerMeta' } : {}
  return { ...common, ...meta, properties: { redacted, ...propertiesOf(meta) } }
}

function exampleOf(
  { answer, conventions }: Operation,
  schema: JsonSchema,
  status: number,
  name: string,
  schemas: Schemas,
): JsonObject {
  const made = answerExample(schema, ref => schemas.resolve(ref), name)
  const { data, meta }: JsonObject = isObject(made) ? made : {}
  const { redacted: _, ...others }: JsonObject = isObject(meta) ? meta : {}
  const always = Array.isArray(answer.meta.required) && answer.meta.required.includes('redacted')
  const shown = always ? { redacted: [], ...others } : others
  // If an answer contains `created`, it agrees with the status.
  const created = 'created' in shown && typeof shown.created === 'boolean' ? { created: status === 201 } : {}
  const elements = Array.isArray(data) && answer.alsoShown !== undefined ? [...data, answer.alsoShown] : data
  const { success: marks, hasMeta } = conventions.envelope
  return { ...marks, data: elements, ...(hasMeta ? { meta: { ...shown, ...created } } : {}) }
}

/** The component of a success, by its `data`: `ContactAnswer`, `ContactPage` for a paged list, `TagList` for a list without pages. */
function answerName(data: JsonSchema, meta: JsonSchema): string {
  if (!isObject(data.items)) return `${nameOf(data)}Answer`
  return `${nameOf(data.items)}${'nextCursor' in propertiesOf(meta) ? 'Page' : 'List'}`
}

function nameOf({ $ref, title, component = title }: JsonSchema): string {
  const name = typeof $ref === 'string' ? $ref.split('/').at(-1) : component
  if (typeof name !== 'string') throw new Error('the data of an answer has no name')
  return name
}
