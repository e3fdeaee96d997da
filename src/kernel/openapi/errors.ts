import { type ErrorCode, errorCatalogue } from '../errors/index.ts'
import { type JsonSchema, uuidSchema } from '../schema/index.ts'

const number = { type: 'integer' }
const scopes = { type: 'array', items: { type: 'string' }, description: of('insufficient_scope') }

const failure: Readonly<Record<string, JsonSchema>> = {
  code: { enum: Object.keys(errorCatalogue), description: 'What went wrong, for programs.' },
  message: { type: 'string', description: 'What went wrong, for people; the wording may change.' },
  details: { $ref: '#/components/schemas/ErrorDetails' },
}

/** The components that failures are described with. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: {
    type: 'object',
    description: 'The envelope of every failure.',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'details', 'requestId'],
        properties: {
          ...failure,
          requestId: { ...uuidSchema, description: 'Names the request in the logs of the server.' },
        },
      },
    },
  },
  ElementError: {
    type: 'object',
    description: 'Why an element of a batch was refused, as the single request would have been.',
    required: ['code', 'message', 'details'],
    properties: failure,
  },
  ErrorDetails: {
    type: 'object',
    description: 'What more there is to say. Which members are there follows from the code; there may be others.',
    properties: {
      issues: {
        type: 'array',
        items: { $ref: '#/components/schemas/Issue' },
        description: `${of('validation_error')}: everything that is wrong, at most 50 entries.`,
      },
      currentVersion: {
        type: ['integer', 'null'],
        description: `${of('version_conflict')}: the version now; null when there is no such record.`,
      },
      requiredScopes: scopes,
      missingScopes: scopes,
      path: { type: 'string', description: 'The place in the body that refers to a missing or removed record.' },
      kind: { type: 'string', description: `${of('external_reference_deleted')}: kind of the removed record.` },
      reason: {
        type: 'string',
        description: `${of('resource_deleted')}: \`person_erased\` where a stored answer told of a person who was erased since.`,
      },
      existingId: { ...uuidSchema, description: `${of('external_id_conflict')}: the record that has the key.` },
      firstUsedAt: { type: 'string', format: 'date-time', description: of('idempotency_conflict') },
      limitBytes: { ...number, description: of('payload_too_large') },
      bucket: { type: 'string', description: `${of('rate_limit_exceeded')}: which limit.` },
      limit: { ...number, description: `${of('rate_limit_exceeded')}: requests that a window allows.` },
      windowSeconds: { ...number, description: of('rate_limit_exceeded') },
      retryAfterSeconds: { ...number, description: `${of('rate_limit_exceeded')}: as \`Retry-After\`.` },
    },
    additionalProperties: true,
  },
  Issue: {
    type: 'object',
    description: 'One thing that is wrong with a request.',
    required: ['path', 'rule', 'message'],
    properties: {
      path: {
        type: 'string',
        description: 'A JSON pointer into the body, or `query:<name>`, `header:<name>`.',
        examples: ['/contactData/emails/0/value', 'query:limit'],
      },
      rule: { type: 'string', examples: ['format'] },
      message: { type: 'string', examples: ['Not a valid email'] },
    },
  },
}

function of(code: ErrorCode): string {
  return `\`${code}\``
}
