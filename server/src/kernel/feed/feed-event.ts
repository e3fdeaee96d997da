import type { Row } from '../sql/index.ts'

/**
 * An event of the feed as it is stored: an element of `GET /changes` (contract section 11) without the members that depend on the
 * application, which are `externalId` and `externalIdTombstoned`.
 */
export interface FeedEvent {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly resourceType: string
  readonly resourceId: string
  readonly operation: string
  /** For a job: how it ended. null for a record. */
  readonly status: string | null
  readonly version: number | null
  readonly changedFields: readonly string[]
  readonly mergedIntoId: string | null
  readonly mergedFromId: string | null
  readonly occurredAt: string
  readonly actorType: string
  readonly actorUuid: string | null
  readonly applicationId: string | null
  readonly requestId: string
  readonly jobId: string | null
  readonly transactionId: string
}

const jobEnd = /\.(completed|failed|canceled)$/u

/** What an event tells of its operation. That of a job has the status in which it ended in the column of the operation. */
export function operationOf({ kind, operation }: { readonly kind: unknown; readonly operation: unknown }) {
  const verb = jobEnd.exec(String(kind))?.[1]
  return verb === undefined
    ? { operation: String(operation), status: null }
    : { operation: verb, status: String(operation) }
}

/** Reads a row with the columns of `changes`. */
export function toFeedEvent({ kind, operation, ...row }: Row): FeedEvent {
  const orNull = (value: unknown) => (value === null || value === undefined ? null : String(value))
  return {
    seq: Number(row.seq),
    id: String(row.id),
    kind: String(kind),
    resourceType: String(row.resource_type),
    resourceId: String(row.resource_id),
    ...operationOf({ kind, operation }),
    version: row.version === null ? null : Number(row.version),
    changedFields: Array.isArray(row.changed_fields) ? row.changed_fields.map(String) : [],
    mergedIntoId: orNull(row.merged_into_id),
    mergedFromId: orNull(row.merged_from_id),
    occurredAt: String(row.occurred_at),
    actorType: String(row.actor_type),
    actorUuid: orNull(row.actor_uuid),
    applicationId: orNull(row.application_id),
    requestId: String(row.request_id),
    jobId: orNull(row.job_id),
    transactionId: String(row.transaction_id),
  }
}

/** What an event without changed fields takes in memory, roughly: seventeen members and eight ids of 36 letters. */
const fixedBytes = 700

/** What an event takes in memory, roughly. */
export function sizeOfEvent({ changedFields }: Pick<FeedEvent, 'changedFields'>): number {
  return changedFields.reduce((sum, name) => sum + 2 * name.length + 24, fixedBytes)
}
