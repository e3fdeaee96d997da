import { STATUS_CODES } from 'node:http'
import { type ErrorCode, errorCatalogue } from '../errors/index.ts'
import { limits, rateDefaults, rateWindowSeconds } from '../limits/index.ts'
import type { Operation } from '../operation.ts'
import type { JsonObject, JsonSchema } from '../schema/index.ts'
import { uuidOf } from './example.ts'
import { failuresOf } from './failures.ts'
import { withoutBody } from './head.ts'
import { headersOfError } from './headers.ts'
import type { Schemas } from './schemas.ts'

interface CatalogueEntry {
  readonly statuses: readonly number[]
  readonly message: string
}

const catalogue: readonly (readonly [string, CatalogueEntry])[] = Object.entries(errorCatalogue)

/** Every status of a failure, in order. */
export const errorStatuses: readonly number[] = [...new Set(catalogue.flatMap(([, { statuses }]) => statuses))].sort(
  (one, other) => one - other,
)

/** The failures of an operation, by status. */
export function errorReferences(operation: Operation): JsonObject {
  const statuses = [...failuresOf(operation).keys()]
  return Object.fromEntries(statuses.map(status => [status, { $ref: `#/components/responses/${nameOf(status)}` }]))
}

/** The shared responses that `errorReferences` refers to, with an example of each code; those of a HEAD have no body. */
export function errorResponses(operations: readonly Operation[], schemas: Schemas): JsonObject {
  const statusesOf = (some: readonly Operation[]) =>
    new Set(some.flatMap(operation => [...failuresOf(operation).keys()]))
  const [all, heads] = [statusesOf(operations), statusesOf(operations.filter(({ method }) => method === 'GET'))]
  const schema = schemas.publish({ $ref: '#/components/schemas/ErrorAnswer' }, 'answer')
  return Object.fromEntries(
    errorStatuses
      .filter(status => all.has(status))
      .flatMap(status => {
        const { content, ...head } = errorResponse(status, schema)
        const whole = [nameOf(status), { ...head, content }]
        return heads.has(status) ? [whole, [withoutBody(nameOf(status)), head]] : [whole]
      }),
  )
}

function errorResponse(status: number, schema: JsonSchema): JsonObject {
  const possible = catalogue.filter(([, { statuses }]) => statuses.includes(status))
  const examples = possible.map(([code, { message }]) => [code, { value: errorExample(code, message, status) }])
  return {
    description: `${STATUS_CODES[status]}: ${possible.map(([code]) => `\`${code}\``).join(', ')}`,
    headers: headersOfError(status),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  }
}

/** The standard reason phrase in one word: `NotFound`. */
function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? `Status${status}`).replaceAll(' ', '')
}

function errorExample(code: string, message: string, status: number): JsonObject {
  const details = new Map<string, JsonObject>(Object.entries(detailsOf(status))).get(code) ?? {}
  return { error: { code, message, details, requestId: uuidOf('requestId') } }
}

function detailsOf(status: number): Partial<Record<ErrorCode, JsonObject>> {
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
    external_id_conflict: { existingId: uuidOf('existingId'), currentVersion: 3 },
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
