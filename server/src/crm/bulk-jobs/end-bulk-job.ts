import { type JobContext, type Mutation, mutate } from '../../kernel/index.ts'
import { writerOf } from './bulk-writer.ts'
import { endBulkJobEarly, lockBulkJob } from './chunk.sql.ts'
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
  const mutation: Mutation<null, never> = {
    needs: needs => needs.toLoad([{ name: 'bulk_job', statement: lockBulkJob, values: [jobId] }]),
    decide(work, write) {
      const job = unfinished(work)
      if (job === null) return { result: null }
      const cause = [failure?.code ?? null, failure?.message ?? null]
      return {
        result: null,
        rows: [endRow(job.id, `bulk_job.${status}`, write)],
        async sweep(transaction) {
          await transaction.query(endBulkJobEarly, [organizationId, job.id, job.done, status, write.now, ...cause])
          return {}
        },
      }
    },
  }
  await mutate(mutation, writerOf(organizationId, null, jobId), services)
}
