import { changeSchema } from '../crm/changes/index.ts'
import { type EventSource, projectionScopes } from '../kernel/index.ts'
import type { OutgoingMessage } from '../kernel/openapi/index.ts'
import { isObject, type JsonSchema } from '../kernel/schema/index.ts'

/** What receivers of webhooks get, for the OpenAPI document: one entry for each form of a body. */
export function webhookMessages(sources: readonly EventSource[]): OutgoingMessage[] {
  return [
    {
      name: 'change',
      summary: 'An event of the change feed',
      description: [
        'A record was changed, or a job has ended. `type` is one of these kinds; more may be added within v1:',
        '',
        ...sources.map(({ kinds }) => `- ${kinds.map(kind => `\`${kind}\``).join(', ')}`),
      ].join('\n'),
      body: aboutChange(sources),
    },
    {
      name: 'webhook.test',
      summary: 'A test of the receiver',
      description: 'Sent once by the command `webhook test`. It has no place in the feed.',
      body: {
        title: 'WebhookTestMessage',
        ...messageOf(always('webhook.test'), { type: 'object', description: 'Empty.' }),
      },
    },
    {
      name: 'feed.reset',
      summary: 'Events are missing',
      description: 'Events that were not sent are gone, or the feed has begun anew. Later events follow.',
      body: { title: 'FeedResetMessage', ...messageOf(always('feed.reset'), missedChanges) },
    },
    {
      name: 'webhook.paused',
      summary: 'Another webhook was paused',
      description: 'The server has paused another webhook of the application. It has no place in the feed.',
      body: { title: 'WebhookPausedMessage', ...messageOf(always('webhook.paused'), pausedWebhook) },
    },
  ]
}

function aboutChange(sources: readonly EventSource[]): JsonSchema {
  const kinds = sources.flatMap(source => source.kinds)
  const type = { type: 'string', description: 'What happened: the kind of the event, or one that is derived from it.' }
  const message = messageOf({ ...type, examples: kinds.slice(0, 1) }, deliveredChange(sources))
  return { title: 'ChangeMessage', ...message, properties: { ...message.properties, meta } }
}

/** The element of `GET /changes`, and what only a delivery says. */
function deliveredChange(sources: readonly EventSource[]): JsonSchema {
  const change = changeSchema(sources.map(({ resourceType }) => resourceType))
  const { record, ...properties } = isObject(change.properties) ? change.properties : {}
  const described = {
    ...(isObject(record) ? record : {}),
    description:
      'In a full body: the record as it is when it is sent, or at most a second before, in the form in which GET shows its kind to the ' +
      'token of the webhook; null if it is gone or anonymized, and for a job. Absent otherwise.',
  }
  const coalesced = {
    type: 'integer',
    minimum: 2,
    description: 'How many updates this one stands for, with the fields of all. Absent if it is one.',
  }
  const bodyOmitted = {
    type: 'boolean',
    const: true,
    description: 'In a full body in the place of a record that is too large. Absent otherwise.',
  }
  return {
    ...change,
    title: 'DeliveredChange',
    properties: { ...properties, record: described, coalesced, bodyOmitted },
  }
}

const meta = {
  title: 'ChangeMessageMeta',
  type: 'object',
  description: 'In a full body, if the scopes of the webhook hide something. Absent otherwise.',
  required: ['redacted'],
  properties: {
    redacted: {
      type: 'array',
      items: { type: 'string' },
      description: 'What they hide.',
      examples: [Object.keys(projectionScopes).slice(0, 1)],
    },
  },
}

const seq = { type: 'integer', minimum: 0 }
const missedChanges = {
  title: 'MissedChanges',
  type: 'object',
  required: ['reason', 'missedFrom', 'missedTo', 'resync'],
  properties: {
    reason: {
      component: 'FeedResetReason',
      type: 'string',
      enum: ['expired', 'epoch'],
      description: 'Why: the feed has dropped them, or it has another epoch.',
    },
    missedFrom: { ...seq, description: 'The number of the first event that is missing.' },
    missedTo: { ...seq, description: 'The end of the feed at that moment: what comes later follows.' },
    resync: { type: 'string', description: 'What to do, for people.', examples: ['list all records'] },
  },
}

const pausedWebhook = {
  title: 'PausedWebhook',
  type: 'object',
  required: ['webhookId', 'name', 'reason', 'position'],
  properties: {
    webhookId: { type: 'string', format: 'uuid', description: 'The webhook that is paused.' },
    name: { type: 'string', description: 'Its name.' },
    reason: { type: ['string', 'null'], description: 'Why, in one word.', examples: ['gone'] },
    position: { ...seq, description: 'It has the events up to this number. Deliveries go on behind it.' },
  },
}

/** The form of every message. */
function messageOf(type: JsonSchema, data: JsonSchema) {
  const timestamp = { type: 'string', format: 'date-time', description: 'When it happened.' }
  return { type: 'object', required: ['type', 'timestamp', 'data'], properties: { type, timestamp, data } }
}

function always(type: string): JsonSchema {
  return { type: 'string', const: type, description: `Always ${type}.` }
}
