import { type JobContext, mutate } from '../../kernel/index.ts'
import { writerOf } from './bulk-writer.ts'
import { bulkJobTable, cancelTargets, lockBulkJob } from './chunk.sql.ts'
import { endRow, unfinished } from './chunk.ts'

/** How a job ends before all of its targets had their turn. */
interface End {
  readonly status: 'failed' | 'canceled'
  readonly failure: { readonly code: string; readonly message: string } | null
}

/** Ends a job: the targets that had no turn are canceled. Does nothing if the job is finished, or gone. */
export async function endBulkJob(
  jobId: string,
  { status, failure }: End,
  { organizationId, services }: Pick<JobContext, 'organizationId' | 'services'>,
): Promise<void> {
  await mutate(
    {
      needs(needs) {
        needs.toLoad([{ name: 'bulk_job', statement: lockBulkJob, values: [jobId] }])
      },
      decide(work, write) {
        const job = unfinished(work)
        const outcome = { status: 200, data: null, meta: {}, shown: [] }
        if (job === null) return outcome
        const row = {
          id: job.id,
          status,
          canceled: job.counters.pending,
          finished_at: write.now,
          failure_code: failure?.code ?? null,
          failure_message: failure?.message ?? null,
        }
        return {
          ...outcome,
          rows: [{ table: bulkJobTable, operation: 'update', row }, endRow(job.id, `bulk_job.${status}`, write)],
          async sweep(transaction) {
            await transaction.query(cancelTargets, [organizationId, job.id, job.done])
            return []
          },
        }
      },
    },
    writerOf(organizationId, null, jobId),
    services,
  )
}
