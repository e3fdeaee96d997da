import { statement } from '../../kernel/sql/index.ts'

/**
 * Writes a job. $1 organization, $2 id, $3 application, $4 key, $5 fingerprint, $6 kind of the records, $7 action, $8 changes, $9 time,
 * $10 how many targets it has, $11 id of the token.
 */
export const insertBulkJob = statement(
  'insert_bulk_job',
  `insert into bulk_jobs (organization_id, id, application_id, idempotency_key, fingerprint, entity_type, action, changes,
                          status, total, created_at, token_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, 'queued', $10, $9, $11)`,
)

/**
 * Writes its targets, in their order. $1 organization, $2 id of the job, $3 ids of the records, $4 their expected versions. On a cluster
 * they are written where the organization is.
 */
export const insertBulkJobTargets = statement(
  'insert_bulk_job_targets',
  `insert into bulk_job_targets (organization_id, job_id, ordinal, record_id, expected_version)
   select o.id, $2, w.ordinal - 1, w.id, w.expected_version
     from unnest($3::uuid[], $4::bigint[]) with ordinality as w(id, expected_version, ordinal)
    cross join organizations o
    where o.id = $1`,
)
