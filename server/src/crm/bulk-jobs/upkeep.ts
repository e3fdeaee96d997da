import { bounds, defineUpkeep, ensureJob, organizationsWith, type Services } from '../../kernel/index.ts'
import type { Statement } from '../../kernel/sql/index.ts'
import { bulkJob } from './run-bulk-job.ts'
import { removeErrors, removeJob, removeTargets, selectOldJob, selectUnfinished } from './upkeep.sql.ts'

/** Most rows that one statement removes: some tens of milliseconds. */
const portion = 2000

/** A job that was asked for so long ago should be in the queue. */
const queuedMilliseconds = 60_000

const organizationsWithJobs = organizationsWith('bulk_jobs')

/**
 * Removes jobs that ended long ago, with their targets and errors (contract section 10.1), and brings those back to the queue that
 * are not finished and not in it, as in an organization that was brought in from elsewhere.
 */
export const bulkJobUpkeep = defineUpkeep({
  name: 'bulk jobs',
  async run(services, signal) {
    let bulkJobs = 0
    for await (const organizationId of organizationsWithJobs(services.database, signal)) {
      bulkJobs += await removeOldJobs(organizationId, services, signal)
      await queueUnfinished(organizationId, services)
    }
    return { removed: { bulkJobs } }
  },
})

async function removeOldJobs(
  organizationId: string,
  { clock, database, retention }: Services,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(clock.now() - retention.bulkJobs * 1000).toISOString()
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

async function queueUnfinished(organizationId: string, { clock, database }: Services): Promise<void> {
  const before = new Date(clock.now() - queuedMilliseconds).toISOString()
  const jobs = await database.query(selectUnfinished, [organizationId, before, bounds.organizationBulkJobs.most])
  for (const { id } of jobs) {
    const jobId = String(id)
    await ensureJob(database, organizationId, { job: bulkJob, payload: { jobId }, key: jobId })
  }
}
