import { statement } from '../../kernel/sql/index.ts'

// The statements name the id of the request first: it finds few rows in an index, and the organization is compared with these.

/** The stored answers of a request: $1 organization, $2 id. Several if a client has used one id for several requests. */
export const selectAnswersOf = statement(
  'select_answers_of_request_in',
  `select a.operation, a.status, a.created_at, a.client_request_id, a.application_id, p.name as application_name,
          a.body is null as erased
     from (select x.* from idempotency_answers x where x.request_id = $2 and x.organization_id = $1 offset 0) as a
     left join applications p on p.organization_id = $1 and p.id = a.application_id
    order by a.created_at desc limit 100`,
)

/** Its audit entries about these types: $3, null for all. */
export const selectEntriesOf = statement(
  'select_entries_of_request_in',
  `select e.id, e.occurred_at, e.resource_type, e.resource_id, e.action, e.application_id, e.token_id, e.address_class,
          e.actor_type, e.actor_uuid, e.request_id, e.version_before, e.version_after, e.changes, e.job_id, e.overwrite
     from (select x.* from audit_entries x where x.request_id = $2 and x.organization_id = $1 offset 0) as e
    where ($3::text[] is null or e.resource_type = any ($3::text[]))
    order by e.id desc limit 200`,
)

/** Its changes of these types, $4, null for all, which have the times of its audit entries, $3, and are found by these. */
export const selectChangesOf = statement(
  'select_changes_of_request_in',
  `select c.seq, c.kind, c.resource_type, c.resource_id, c.version, c.changed_fields, c.occurred_at
     from (select distinct unnest($3::timestamptz[]) as occurred_at) as w
     join changes c on c.organization_id = $1 and c.request_id = $2 and c.occurred_at = w.occurred_at
    where ($4::text[] is null or c.resource_type = any ($4::text[]))
    order by c.seq limit 200`,
)
