import type { JsonObject, JsonSchema } from '../schema/index.ts'
import { answerExample, exampleUuid } from './example.ts'
import type { Schemas } from './schemas.ts'

/** A message that the server posts to receivers of webhooks. */
export interface OutgoingMessage {
  /** What it is called in the document: `feed.reset`. */
  readonly name: string
  readonly summary: string
  readonly description: string
  /** Its JSON body, with a title. */
  readonly body: JsonSchema
}

const required = true

/** The headers of every message. No components: generators of clients leave out those that no route refers to. */
const headers: readonly JsonObject[] = [
  header('webhook-id', 'The same whenever this message is sent: a receiver that has it already ignores it.', {
    required,
    example: `chg_${exampleUuid('changeId')}_${exampleUuid('webhookId')}`,
  }),
  header('webhook-timestamp', 'When this attempt began, in seconds since 1970.', { required, example: '1795822255' }),
  header(
    'webhook-signature',
    'As Standard Webhooks 1.0 defines it: a signature for each secret, with spaces between.',
    {
      required,
      example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    },
  ),
  header('crm-request-id', 'The request that made the change; absent if there was none.', {
    example: exampleUuid('requestId'),
  }),
  header('crm-replay', 'The replay that sends this event again; absent otherwise.', {
    example: exampleUuid('replayId'),
  }),
]

/** The group of the messages. */
export const webhookTag = { name: 'Webhooks', description: 'What the server posts to receivers.' }

/** The part of the document about messages to receivers, by name. */
export function describeWebhooks(messages: readonly OutgoingMessage[], schemas: Schemas): JsonObject {
  return Object.fromEntries(messages.map(message => [message.name, { post: describeMessage(message, schemas) }]))
}

function describeMessage({ name, summary, description, body }: OutgoingMessage, schemas: Schemas): JsonObject {
  const schema = schemas.publish(body, 'answer')
  const example = answerExample(schema, ref => schemas.resolve(ref), name)
  return {
    operationId: `webhooks.${name.replaceAll(/\.(\w)/gu, (_, letter: string) => letter.toUpperCase())}`,
    tags: [webhookTag.name],
    summary,
    description,
    // The receiver authenticates it by its signature.
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: {
      '2XX': { description: 'The receiver has it.' },
      '410': { description: 'The receiver wants no more: the webhook is paused.' },
      default: { description: 'It is sent again later.' },
    },
  }
}

function header(name: string, description: string, more: JsonObject): JsonObject {
  return { name, in: 'header', description, schema: { type: 'string' }, ...more }
}
