import { type Row, type Statement, statement } from '../sql/index.ts'

const removeJobs = statement(
  'remove_jobs_of_organization',
  `delete from graphile_worker._private_jobs j where j.payload ->> 'organizationId' = $1`,
)

// A queue is named by a kind of job and an organization: see `queueOf`.
const removeQueues = statement(
  'remove_queues_of_organization',
  `delete from graphile_worker._private_job_queues q where right(q.queue_name, length($1) + 1) = '/' || $1`,
)

/**
 * Removes the jobs of an organization, also those that are running, and its queues. A worker whose job is gone adds it no more; one
 * that adds it anew at this moment has done so when the statement ends, and another call finds it.
 */
export async function removeJobsOf(
  asked: { query(statement: Statement, values: readonly unknown[]): Promise<Row[]> },
  organizationId: string,
): Promise<void> {
  await asked.query(removeJobs, [organizationId])
  await asked.query(removeQueues, [organizationId])
}
