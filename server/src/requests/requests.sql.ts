import { statement } from '../kernel/sql/index.ts'

// All three statements cover every organization: the operator administers the installation, and has only the id. It is a UUID, or the id
// that the client sent, which several requests may share.

const is = (table: string) => `(${table}.request_id = $1::uuid or ${table}.client_request_id = any ($2::text[]))`

// $1 the id as a UUID, null if it is none; $2 the id as sent, and its hash.
export const selectAnswersOfRequest = statement(
  'select_answers_of_request',
  `select a.organization_id as "organizationId", a.application_id as "applicationId", a.key, a.operation, a.status,
          a.created_at as "createdAt", a.request_id as "requestId", a.client_request_id as "clientRequestId",
          a.body is null as erased
     from idempotency_answers a
    where ${is('a')}
    order by a.created_at desc, a.key limit 100`,
)

export const selectEntriesOfRequest = statement(
  'select_entries_of_request',
  `select a.organization_id as "organizationId", a.id, a.occurred_at as "occurredAt", a.resource_type as "resourceType",
          a.resource_id as "resourceId", a.action, a.application_id as "applicationId", a.token_id as "tokenId",
          a.address_class as "addressClass", a.actor_type as "actorType", a.actor_uuid as "actorUserUuid",
          a.request_id as "requestId", a.client_request_id as "clientRequestId",
          a.version_before::integer as "versionBefore", a.version_after::integer as "versionAfter", a.changes,
          a.job_id as "jobId", a.overwrite
     from audit_entries a
    where ${is('a')}
    order by a.occurred_at desc, a.id limit 200`,
)

// Events have the time of the audit entries that were written with them, and no index by request: they are found by that time.
export const selectEventsOfRequest = statement(
  'select_events_of_request',
  `select c.organization_id as "organizationId", c.seq::integer as seq, c.id, c.kind, c.resource_type as "resourceType",
          c.resource_id as "resourceId", c.operation, c.version::integer as version, c.changed_fields as "changedFields",
          c.occurred_at as "occurredAt", c.request_id as "requestId", c.transaction_id as "transactionId"
     from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as w(organization_id, request_id, occurred_at)
     join changes c on c.organization_id = w.organization_id and c.request_id = w.request_id
                   and c.occurred_at = w.occurred_at
    order by c.organization_id, c.seq limit 200`,
)

type OfRequest = {
  readonly organizationId: string
  readonly requestId: string
}

/** A stored answer; `erased` if it contained data of a person who was erased. */
export type AnswerOfRequest = OfRequest & {
  readonly applicationId: string
  readonly clientRequestId: string | null
  readonly key: string
  readonly operation: string | null
  readonly status: number
  readonly createdAt: string
  readonly erased: boolean
}

export type EntryOfRequest = OfRequest & {
  readonly applicationId: string | null
  readonly clientRequestId: string | null
  readonly occurredAt: string
  readonly action: string
  readonly resourceId: string
  readonly tokenId: string | null
  readonly addressClass: string | null
  readonly actorType: string
}

export type EventOfRequest = OfRequest & {
  readonly seq: number
  readonly kind: string
  readonly resourceId: string
  readonly version: number | null
}
