import { claimedStatement, statement } from '../../kernel/sql/index.ts'
import { defineTable } from '../../kernel/write/index.ts'

/** The reasons why targets failed. */
export const bulkErrorTable = defineTable('bulk_job_errors', ['job_id', 'ordinal'], {
  job_id: 'uuid',
  ordinal: 'integer',
  record_id: 'uuid',
  code: 'text',
  message: 'text',
  details: 'jsonb',
  occurred_at: 'timestamptz',
})

/** $1 organization, $2 id of the job, $3 the most targets. Returns the next targets in order. */
export const selectNextTargets = claimedStatement(
  'select_next_bulk_targets',
  `select t.ordinal, t.record_id, t.expected_version
     from bulk_job_targets t
    where t.organization_id = $1 and t.job_id = $2
      and t.ordinal >= (select j.succeeded + j.unchanged + j.failed from bulk_jobs j
                         where j.organization_id = $1 and j.id = $2)
    order by t.ordinal limit $3`,
)

/**
 * Marks targets and saves the progress of the job. $1 organization, $2 id of the job, $3 ordinal of the first target, $4 outcome of each
 * target, $5 status, $6 to $8 how many have succeeded, were unchanged and have failed so far, $9 time of the start, $10 time of the end or
 * null. The targets are a range of the primary key, so the plan is the same for few and for many. The outcome is wrapped in an expression,
 * because Citus 13 closes the connection where a column is set to a bare array element.
 */
export const advanceBulkJob = statement(
  'advance_bulk_job',
  `with marked as (
     update bulk_job_targets t set outcome = nullif(($4::text[])[t.ordinal - $3::integer + 1], '')
      where t.organization_id = $1 and t.job_id = $2
        and t.ordinal >= $3::integer and t.ordinal < $3::integer + cardinality($4::text[])
     returning 1)
   update bulk_jobs j
      set status = $5, succeeded = $6, unchanged = $7, failed = $8, started_at = $9, finished_at = $10
    where j.organization_id = $1 and j.id = $2
   returning (select count(*) from marked) as marked`,
)

/**
 * Ends a job before all targets are processed. $1 organization, $2 id of the job, $3 ordinal of the first unprocessed target, $4 status, $5
 * time, $6 code and $7 message of the failure, or null.
 */
export const endBulkJobEarly = statement(
  'end_bulk_job_early',
  `with marked as (
     update bulk_job_targets t set outcome = 'canceled'
      where t.organization_id = $1 and t.job_id = $2 and t.ordinal >= $3::integer
     returning 1)
   update bulk_jobs j
      set status = $4, canceled = j.total - $3::integer, finished_at = $5, failure_code = $6, failure_message = $7
    where j.organization_id = $1 and j.id = $2
   returning (select count(*) from marked) as marked`,
)
