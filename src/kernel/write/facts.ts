import { membersOf, represent } from '../resource/record.ts'
import type { RecordState, Resource, WriteContext } from '../resource/resource.ts'
import { newId, type Projection, sameJson } from '../schema/index.ts'
import type { RowChange } from './table.ts'
import { auditEntries } from './tables.ts'
import type { Effect } from './working-set.ts'

/** One changed field as the audit log keeps it; `guard` names the scope that reading it needs. */
export interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
  readonly guard?: Projection
}

/** Fields that differ between two states, in the order of the declaration; `externalId` is one of them. */
export function changedFields(resource: Resource, before: RecordState | null, after: RecordState | null): string[] {
  return ['externalId', ...Object.keys(resource.fields)].filter(
    name => !sameJson(before?.[name] ?? null, after?.[name] ?? null),
  )
}

/** The row of one change event (contract section 11). It holds no personal data: consumers fetch the record. */
export function changeRow(
  { resource, before, after, ...effect }: Effect,
  write: WriteContext,
): Record<string, unknown> {
  const operation = effect.operation ?? operationOf(before, after)
  return {
    id: newId(),
    kind: effect.kind ?? `${resource.kind}.${operation}`,
    resource_type: resource.kind,
    resource_id: (after ?? before)?.id,
    operation,
    // A removed record's last step counts as one more version.
    version: after?.version ?? (before === null ? null : before.version + 1),
    changed_fields: effect.changedFields ?? (operation === 'updated' ? publicFields(resource, before, after) : []),
    merged_into_id: effect.mergedIntoId ?? null,
    merged_from_id: effect.mergedFromId ?? null,
    ...authorship(write),
    occurred_at: write.now,
    job_id: write.jobId,
    transaction_id: write.transactionId,
  }
}

/** The audit entry of one step: who, what, and the values before and after. */
export function auditRow({ resource, before, after, ...effect }: Effect, write: WriteContext): RowChange {
  const row = {
    id: newId(),
    occurred_at: write.now,
    resource_type: resource.kind,
    resource_id: (after ?? before)?.id,
    action: effect.kind ?? `${resource.kind}.${effect.operation ?? operationOf(before, after)}`,
    ...authorship(write),
    client_request_id: write.clientRequestId,
    version_before: before?.version ?? null,
    version_after: after?.version ?? null,
    changes: erases(resource, after, effect.operation) ? [] : fieldChanges(resource, before, after, write),
    job_id: write.jobId,
  }
  return { table: auditEntries, operation: 'insert', row }
}

/** The step that erases a person must not itself keep what it erased. */
function erases(resource: Resource, after: RecordState | null, operation: Effect['operation']): boolean {
  return operation === 'anonymized' || (resource.personal && after === null)
}

function fieldChanges(
  resource: Resource,
  before: RecordState | null,
  after: RecordState | null,
  write: WriteContext,
): FieldChange[] {
  const { organization } = write.directory
  const [old, next] = [before, after].map(record => (record === null ? {} : represent(resource, record, organization)))
  return publicFields(resource, before, after).map(field => ({
    field,
    before: old?.[field] ?? null,
    after: next?.[field] ?? null,
    ...guardOf(resource, field),
  }))
}

/** Changed fields by the names that requests and answers use; internal ones are left out. */
function publicFields(resource: Resource, before: RecordState | null, after: RecordState | null): string[] {
  return changedFields(resource, before, after).filter(name => {
    const field = resource.fields[name]
    return field === undefined || membersOf(name, field).includes(name)
  })
}

function guardOf(resource: Resource, field: string): { guard?: Projection } {
  const guard = resource.fields[field]?.readGuard
  return guard === undefined ? {} : { guard }
}

function operationOf(before: RecordState | null, after: RecordState | null): 'created' | 'updated' | 'deleted' {
  if (before === null) return 'created'
  return after === null ? 'deleted' : 'updated'
}

function authorship(write: WriteContext): Record<string, unknown> {
  return {
    actor_type: write.actorType,
    actor_uuid: write.actorUuid,
    application_id: write.applicationId,
    request_id: write.requestId,
  }
}
