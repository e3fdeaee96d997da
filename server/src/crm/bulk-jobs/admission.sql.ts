import { bounds } from '../../kernel/index.ts'
import { claimedStatement, statement } from '../../kernel/sql/index.ts'

/** $1 organization, $2 application, $3 key: the job that the key has made already. */
export const selectJobOfKey = claimedStatement(
  'select_bulk_job_of_key',
  `select j.id, j.created_at, '\\x' || encode(j.fingerprint, 'hex') as fingerprint
     from bulk_jobs j
    where j.organization_id = $1 and j.application_id = $2 and j.idempotency_key = $3`,
)

/** $1 organization: how many of its jobs are not finished, counted up to the bound. */
export const countUnfinished = claimedStatement(
  'count_unfinished_bulk_jobs',
  `select count(*) as unfinished
     from (select from bulk_jobs j where j.organization_id = $1 and j.finished_at is null
            order by j.created_at limit ${bounds.organizationBulkJobs.most}) as u`,
)

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
