import { jobRecordUpkeep, type Services, timeBefore } from '../../kernel/index.ts'
import { type Statement, statement } from '../../kernel/sql/index.ts'
import { bulkJobRecord } from './bulk-job.ts'
import { bulkJob } from './run-bulk-job.ts'

/** Most rows that one statement removes: some tens of milliseconds. */
const portion = 2000

/** $1 organization, $2 time: the job that ended first, if that was before the time. */
const selectOldJob = statement(
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
const removeTargets = portionOf('bulk_job_targets')
const removeErrors = portionOf('bulk_job_errors')

/** $1 organization, $2 id. */
const removeJob = statement('remove_old_bulk_job', 'delete from bulk_jobs j where j.organization_id = $1 and j.id = $2')

/** Removes jobs that ended long ago, with their targets and errors (contract section 10.1). */
export const bulkJobUpkeep = jobRecordUpkeep(bulkJobRecord, bulkJob, {
  name: 'bulk jobs',
  bound: 'organizationBulkJobs',
  retain: { bulkJobs: removeOldJobs },
})

async function removeOldJobs(
  organizationId: string,
  { clock, database, retention }: Services,
  signal: AbortSignal,
): Promise<number> {
  const before = timeBefore(clock.now(), retention.bulkJobs * 1000)
  let removed = 0
  while (!signal.aborted) {
    const [job] = await database.query(selectOldJob, [organizationId, before])
    if (job === undefined) return removed
    for (const rows of [removeErrors, removeTargets]) await removeRows(rows, [organizationId, job.id])
    if (signal.aborted) return removed
    await database.query(removeJob, [organizationId, job.id])
    removed += 1
  }
  return removed

  async function removeRows(rows: Statement, ofJob: readonly unknown[]): Promise<void> {
    let left = true
    while (left && !signal.aborted) left = (await database.query(rows, [...ofJob, portion])).length > 0
  }
}
