import { actorTypeSchema } from '../../kernel/index.ts'
import {
  booleanSchema,
  type JsonObject,
  optionalTextSchema,
  optionalUuidSchema,
  uuidSchema,
} from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'

/** A complete audit entry. Values that the token may not read are removed when the entry leaves the server. */
export function toEntry(row: Row): JsonObject {
  return {
    id: row.id,
    occurredAt: row.occurred_at,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    action: row.action,
    applicationId: row.application_id,
    tokenId: row.token_id,
    addressClass: row.address_class,
    actorType: row.actor_type,
    actorUserUuid: row.actor_uuid,
    requestId: row.request_id,
    versionBefore: versionOf(row.version_before),
    versionAfter: versionOf(row.version_after),
    changes: row.changes,
    jobId: row.job_id,
    overwrite: row.overwrite,
  }
}

function versionOf(sent: unknown): number | null {
  return sent === null ? null : Number(sent)
}

const versionSchema = { type: ['integer', 'null'], minimum: 1 }

const changeSchema = {
  title: 'AuditChange',
  type: 'object',
  description: 'A changed field or part before and after, or that its values are not shown: `redacted`.',
  required: ['field'],
  example: { field: 'lastName', before: 'Petrova', after: 'Smirnova' },
  properties: {
    field: { type: 'string', description: 'The name of the field or part.', examples: ['lastName', 'amount', 'items'] },
    before: { description: 'null where it was empty.' },
    after: { description: 'null where it is empty.' },
    redacted: { type: 'boolean', description: 'Present, and true, where before and after are absent.' },
  },
}

const properties = {
  id: uuidSchema,
  occurredAt: { type: 'string', format: 'date-time', description: 'When it happened.' },
  resourceType: {
    type: 'string',
    description: 'The kind of what it was done to.',
    examples: ['contact', 'company', 'deal', 'task', 'bulk_job', 'export', 'import', 'agent', 'product'],
  },
  resourceId: { ...uuidSchema, description: 'What it was done to.' },
  action: {
    type: 'string',
    description: 'What was done; new words may come.',
    examples: ['contact.updated', 'deal.moved'],
  },
  applicationId: { ...optionalUuidSchema, description: 'The application that did it; null: none.' },
  tokenId: optionalTextSchema('Of the token, null where none was used.', '4fK2mQ9xT7bZ'),
  addressClass: {
    component: 'AddressClass',
    type: ['string', 'null'],
    enum: ['loopback', 'private', 'public', 'unknown', null],
    description: 'From where the request came; null where there was none.',
    example: 'public',
  },
  actorType: actorTypeSchema,
  actorUserUuid: { ...optionalUuidSchema, description: 'The user who did it. Absent without `crm_operators_read`.' },
  requestId: { ...uuidSchema, description: 'As in `error.requestId` and in change events.' },
  versionBefore: {
    ...versionSchema,
    description: 'null of what was created, and of what has no versions.',
    example: 2,
  },
  versionAfter: { ...versionSchema, description: 'null of what was removed.', example: 3 },
  changes: { type: 'array', items: changeSchema },
  jobId: { ...optionalUuidSchema, description: 'The bulk job or import that did it; null: none.' },
  overwrite: booleanSchema(
    'Whether an upsert with `overwrite=true` changed the record, whatever its version was.',
    false,
  ),
}

/** JSON Schema of an audit entry. */
export const entrySchema = {
  title: 'AuditEntry',
  type: 'object',
  required: Object.keys(properties).filter(name => name !== 'actorUserUuid'),
  properties,
}
