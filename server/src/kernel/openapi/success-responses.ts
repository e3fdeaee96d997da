import { STATUS_CODES } from 'node:http'
import type { Resource } from '../abilities/index.ts'
import { nestedName } from '../abilities/nested/create-nested.ts'
import type { Operation } from '../operation.ts'
import { isObject, type JsonObject, type JsonSchema } from '../schema/index.ts'
import { propertiesOf } from './children.ts'
import { answerExample } from './example.ts'
import { headersOfSuccess } from './headers.ts'
import { withReceipts } from './records.ts'
import type { Schemas } from './schemas.ts'

const redacted: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'What this token may not read and was taken away; absent when nothing was.',
}

/** The successes of an operation, by status. */
export function successResponses(operation: Operation, resources: readonly Resource[], schemas: Schemas): JsonObject {
  const { success, answer, idempotent, streams } = operation
  if (streams !== undefined) return { [success[0]]: streamed(streams) }
  const data = schemas.publish(idempotent ? withReceipts(answer.data, resources) : answer.data, 'answer')
  const meta = schemas.publish(withRedacted(answer.meta), 'answer')
  const schema = { type: 'object', required: ['data', 'meta'], properties: { data, meta } }
  const always = Array.isArray(answer.meta.required) && answer.meta.required.includes('redacted')
  const group = operation.id.replace(/\.\w+$/u, '')
  const name = resources.find(resource => nestedName(resource) === group)?.kind ?? group
  const responses = success.map(status => {
    const content = { 'application/json': { schema, example: exampleOf(data, meta, status, name, schemas, always) } }
    return [status, { description: STATUS_CODES[status] ?? 'Success', headers: headersOfSuccess(idempotent), content }]
  })
  return Object.fromEntries(responses)
}

/** A success that is a file. */
function streamed(mediaType: string): JsonObject {
  const content = { [mediaType]: { schema: { type: 'string', contentMediaType: mediaType } } }
  return { description: 'The file, as it is made.', headers: headersOfSuccess(false), content }
}

/** Redaction can name itself in the meta of any answer. */
function withRedacted(meta: JsonSchema): JsonSchema {
  const common = meta.properties === undefined ? { title: 'Meta' } : {}
  return { ...common, ...meta, properties: { redacted, ...propertiesOf(meta) } }
}

function exampleOf(
  data: JsonSchema,
  meta: JsonSchema,
  status: number,
  name: string,
  schemas: Schemas,
  namesRedacted: boolean,
): JsonObject {
  const resolve = (ref: string) => schemas.resolve(ref)
  const metaExample = answerExample(meta, resolve, 'meta')
  const { redacted: _, ...shown } = isObject(metaExample) ? metaExample : {}
  // Where an answer says whether it created, it agrees with its status.
  const created = 'created' in shown && typeof shown.created === 'boolean' ? { created: status === 201 } : {}
  const told = namesRedacted ? { redacted: [] } : {}
  return { data: answerExample(data, resolve, name), meta: { ...told, ...shown, ...created } }
}
