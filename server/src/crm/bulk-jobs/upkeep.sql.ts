import { statement } from '../../kernel/sql/index.ts'

/** $1 organization, $2 time: the job that ended first, if that was before the time. */
export const selectOldJob = statement(
  'select_old_bulk_job',
  `select j.id from bulk_jobs j
    where j.organization_id = $1 and j.finished_at < $2
    order by j.finished_at limit 1`,
)

const portionOf = (table: string) =>
  statement(
    `remove_${table}_of_old_job`,
    `delete from ${table} t
    where t.organization_id = $1 and t.job_id = $2
      and t.ordinal < (select x.ordinal from ${table} x
                        where x.organization_id = $1 and x.job_id = $2
                        order by x.ordinal limit 1) + $3
   returning 1 as removed`,
  )

/** $1 organization, $2 id of the job, $3 how many ordinals: the first rows of the job. */
export const removeTargets = portionOf('bulk_job_targets')
export const removeErrors = portionOf('bulk_job_errors')

/** $1 organization, $2 id. */
export const removeJob = statement(
  'remove_old_bulk_job',
  'delete from bulk_jobs j where j.organization_id = $1 and j.id = $2',
)

/** $1 organization, $2 time, $3 the most: jobs that were asked for before the time and are not finished. */
export const selectUnfinished = statement(
  'select_unfinished_bulk_jobs',
  `select j.id from bulk_jobs j
    where j.organization_id = $1 and j.finished_at is null and j.created_at < $2
    order by j.created_at, j.id limit $3`,
)
