import { operationOf } from '../../kernel/feed/index.ts'
import { actorTypeSchema, type Caller, mayRead } from '../../kernel/index.ts'
import {
  isObject,
  type JsonObject,
  type JsonSchema,
  optionalUuidSchema,
  uuidSchema,
} from '../../kernel/schema/index.ts'
import type { ChangeRow } from './feed.sql.ts'

/** A change event as consumers see it. It is thin on purpose: consumers fetch the record, or ask for it with `include=record`. */
export function toChange(row: ChangeRow) {
  return {
    id: row.id,
    seq: Number(row.seq),
    kind: row.kind,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    externalId: row.external_id,
    ...operationOf(row),
    version: row.version === null ? null : Number(row.version),
    changedFields: row.changed_fields,
    mergedIntoId: row.merged_into_id,
    mergedFromId: row.merged_from_id,
    externalIdTombstoned: row.tombstoned,
    occurredAt: row.occurred_at,
    actorType: row.actor_type,
    actorUuid: row.actor_uuid,
    applicationId: row.application_id,
    requestId: row.request_id,
    jobId: row.job_id,
    transactionId: row.transaction_id,
  }
}

/** A change event with all its members. */
export type Change = ReturnType<typeof toChange>

/** Events as this caller may see them: without their actors if the token may not read operators. */
export function projectChanges(data: unknown, { scopes }: Pick<Caller, 'scopes'>) {
  if (mayRead('operators', scopes) || !Array.isArray(data)) return { data, redacted: [] }
  const events: JsonObject[] = data.filter(isObject).map(({ actorUuid: _, ...event }) => event)
  return { data: events, redacted: ['operators'] }
}

const properties = {
  id: uuidSchema,
  seq: { type: 'integer', description: 'Consecutive within the organization.' },
  kind: {
    type: 'string',
    description: 'What happened, in one word for each kind of record.',
    examples: ['contact.created', 'deal.moved', 'import.completed'],
  },
  // `changeSchema` fills in the values: the modules determine which kinds exist.
  resourceType: {},
  resourceId: { ...uuidSchema, description: 'The record that changed, or the job that ended.' },
  externalId: { type: ['string', 'null'], description: 'Your key of the record.' },
  operation: {
    component: 'ChangeOperation',
    type: 'string',
    enum: ['created', 'updated', 'deleted', 'anonymized', 'merged', 'completed', 'failed', 'canceled'],
    description: 'What was done to the record, or how the job ended.',
  },
  status: {
    type: ['string', 'null'],
    description: 'The status of a job from then on, such as `completed_with_errors`; null for a record.',
  },
  version: { type: ['integer', 'null'], description: 'The version that the step gave the record; null for a job.' },
  changedFields: {
    type: 'array',
    items: { type: 'string' },
    description: 'Members of the record that changed, and parts such as `items`; values are in the record.',
  },
  mergedIntoId: { ...optionalUuidSchema, description: 'The record that this one was merged into; null: none.' },
  mergedFromId: { ...optionalUuidSchema, description: 'The record that was merged into this one; null: none.' },
  externalIdTombstoned: { type: 'boolean', description: 'Whether your key for the record answers 410 from now on.' },
  occurredAt: { type: 'string', format: 'date-time', description: 'When it happened.' },
  actorType: actorTypeSchema,
  actorUuid: { ...optionalUuidSchema, description: 'The user or AI agent. Absent without `crm_operators_read`.' },
  applicationId: { ...optionalUuidSchema, description: 'The application that did it; null: none.' },
  requestId: { ...uuidSchema, description: 'The request that did it, as in `error.requestId`.' },
  jobId: { ...optionalUuidSchema, description: 'The bulk job or import that did it; null: none.' },
  transactionId: { ...uuidSchema, description: 'The same for all changes that one request made.' },
  record: {
    type: ['object', 'null'],
    description:
      'With `include=record`: the record as it is now and as this token may read it, in the form in which GET shows its kind; ' +
      'null if it is gone or anonymized, and for a job. Absent otherwise.',
    examples: [
      { id: '019bd1c8-7c40-7969-82b3-c1ba08162915', externalId: 'A-1042', version: 3, name: 'Northwind Traders' },
    ],
  },
}

/** JSON Schema of an event about records of these kinds, or jobs of these types. */
export function changeSchema(kinds: readonly string[]): JsonSchema {
  return {
    title: 'ChangeEvent',
    type: 'object',
    required: Object.keys(properties).filter(name => name !== 'actorUuid' && name !== 'record'),
    properties: {
      ...properties,
      resourceType: {
        component: 'ChangedType',
        type: 'string',
        enum: kinds,
        description: 'The kind of the record, or the type of the job.',
      },
    },
  }
}
