import { claimedStatement, statement } from '../../kernel/sql/index.ts'
import { defineTable } from '../../kernel/write/index.ts'

/** The rows of a job that a chunk writes. */
export const bulkJobTable = defineTable('bulk_jobs', ['id'], {
  id: 'uuid',
  status: 'text',
  succeeded: 'integer',
  unchanged: 'integer',
  failed: 'integer',
  canceled: 'integer',
  started_at: 'timestamptz',
  finished_at: 'timestamptz',
  failure_code: 'text',
  failure_message: 'text',
})

export const bulkTargetTable = defineTable('bulk_job_targets', ['job_id', 'ordinal'], {
  job_id: 'uuid',
  ordinal: 'integer',
  outcome: 'text',
})

export const bulkErrorTable = defineTable('bulk_job_errors', ['job_id', 'ordinal'], {
  job_id: 'uuid',
  ordinal: 'integer',
  record_id: 'uuid',
  code: 'text',
  message: 'text',
  details: 'jsonb',
  occurred_at: 'timestamptz',
})

/** $1 organization, $2 id: the job, locked, so that nobody else does its targets or ends it meanwhile. */
export const lockBulkJob = claimedStatement(
  'lock_bulk_job',
  `select j.* from bulk_jobs j where j.organization_id = $1 and j.id = $2 for no key update`,
)

/** $1 organization, $2 id of the job, $3 the most targets: those whose turn it is, in their order. */
export const selectNextTargets = claimedStatement(
  'select_next_bulk_targets',
  `select t.ordinal, t.record_id, t.expected_version
     from bulk_job_targets t
    where t.organization_id = $1 and t.job_id = $2
      and t.ordinal >= (select j.succeeded + j.unchanged + j.failed from bulk_jobs j
                         where j.organization_id = $1 and j.id = $2)
    order by t.ordinal limit $3`,
)

/** $1 organization, $2 id of the job, $3 ordinal: marks this target and those behind it. */
export const cancelTargets = statement(
  'cancel_bulk_targets',
  `update bulk_job_targets t set outcome = 'canceled'
    where t.organization_id = $1 and t.job_id = $2 and t.ordinal >= $3`,
)
