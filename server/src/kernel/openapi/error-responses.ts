import { STATUS_CODES } from 'node:http'
import type { Conventions } from '../conventions.ts'
import type { ApiErrorCode } from '../errors/index.ts'
import { limits, rateDefaults, rateWindowSeconds } from '../limits/index.ts'
import type { Operation } from '../operation.ts'
import type { JsonObject, JsonSchema } from '../schema/index.ts'
import { catalogue, errorStatuses } from './error-table.ts'
import { exampleUuid } from './example.ts'
import { failuresOf } from './failures.ts'
import { headersOfError } from './headers.ts'
import type { Schemas } from './schemas.ts'

/** The failures of an operation, by status. */
export function errorReferences(operation: Operation): JsonObject {
  const statuses = [...failuresOf(operation).keys()]
  const named = (status: number) => `#/components/responses/${nameOf(operation.conventions, status)}`
  return Object.fromEntries(statuses.map(status => [status, { $ref: named(status) }]))
}

/** The shared responses that `errorReferences` refers to, with an example of each code. */
export function errorResponses(operations: readonly Operation[], schemas: Schemas): JsonObject {
  const byEnvelope = new Map(operations.map(({ conventions }) => [conventions.envelope, conventions]))
  return Object.assign(
    {},
    ...[...byEnvelope.values()].map(conventions =>
      responsesOf(
        conventions,
        operations.filter(({ conventions: { envelope } }) => envelope === conventions.envelope),
        schemas,
      ),
    ),
  )
}

/** The responses of one envelope format, with the codes of the operations that use it. */
function responsesOf(conventions: Conventions, operations: readonly Operation[], schemas: Schemas): JsonObject {
  const codesOf = (status: number) => new Set(operations.flatMap(operation => failuresOf(operation).get(status) ?? []))
  const schema = schemas.publish({ $ref: `#/components/schemas/${conventions.envelope.failureName}` }, 'answer')
  return Object.fromEntries(
    errorStatuses.flatMap(status => {
      const codes = codesOf(status)
      return codes.size === 0 ? [] : [[nameOf(conventions, status), errorResponse(conventions, status, codes, schema)]]
    }),
  )
}

function errorResponse(
  { envelope }: Conventions,
  status: number,
  codes: ReadonlySet<string>,
  schema: JsonSchema,
): JsonObject {
  const possible = catalogue.filter(([code, { statuses }]) => statuses.includes(status) && codes.has(code))
  const examples = possible.map(([code, { message }]) => [
    code,
    { value: { ...envelope.failure, ...errorExample(code, message, status) } },
  ])
  return {
    description: [
      `${STATUS_CODES[status]}:`,
      '',
      ...possible.map(([code, entry]) => `- \`${code}\`: ${entry.meaning}`),
    ].join('\n'),
    headers: headersOfError(status),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  }
}

/** The standard reason phrase in one word: `NotFound`. Another envelope adds its own word in front. */
function nameOf({ envelope }: Conventions, status: number): string {
  const prefix = envelope.failureName.replace(/ErrorAnswer$/u, '')
  return prefix + (STATUS_CODES[status] ?? `Status${status}`).replaceAll(' ', '')
}

function errorExample(code: string, message: string, status: number): JsonObject {
  const details = new Map<string, JsonObject>(Object.entries(detailsOf(status))).get(code) ?? {}
  return { error: { code, message, details, requestId: exampleUuid('requestId') } }
}

function detailsOf(status: number): Partial<Record<ApiErrorCode, JsonObject>> {
  const malformed = { path: '/contactData/emails/0/value', rule: 'format', message: 'Not a valid email' }
  const forbidden = { path: '/ownerUuid', rule: 'operator', message: 'Not an active operator of the organization' }
  return {
    validation_error: { issues: [status === 400 ? malformed : forbidden], issueCount: 1 },
    insufficient_scope: {
      requiredScopes: ['crm_contacts_read', 'crm_tags_read'],
      missingScopes: ['crm_tags_read'],
    },
    version_conflict: { currentVersion: 8 },
    idempotency_conflict: { firstUsedAt: '2026-01-31T09:15:00.000Z' },
    cursor_expired: {
      oldestSeq: 4711,
      oldestAt: '2026-01-31T09:15:00.000Z',
      retentionSeconds: limits.changeRetentionSeconds,
      resync: 'take /changes/cursor first, then list all, then continue from the cursor',
    },
    already_exists: { path: '/id', existingId: 'tea-pot-1' },
    resource_in_use: {
      usedBy: [{ type: 'agent', id: exampleUuid('agentId'), name: 'Shop assistant' }],
      confirm: 'confirmed=true',
    },
    external_id_conflict: { existingId: exampleUuid('existingId'), currentVersion: 3 },
    external_reference_deleted: { kind: 'contact' },
    payload_too_large: { limitBytes: limits.jsonBodyBytes },
    precondition_required: { currentVersion: 3 },
    rate_limit_exceeded: {
      bucket: 'write',
      limit: rateDefaults.write,
      windowSeconds: rateWindowSeconds,
      retryAfterSeconds: 17,
    },
  }
}
