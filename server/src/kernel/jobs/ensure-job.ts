import { type Row, type Statement, statement } from '../sql/index.ts'
import type { Envelope } from './envelope.ts'
import type { JobRequest } from './job.ts'
import { attemptsOf, keyOf, queueOf } from './names.ts'

// A job that has no attempts left does not run any more; its key is free for another one.
const insertMissingJob = statement(
  'add_missing_job',
  `select j.id
     from graphile_worker.add_job($1::text, $2::json, queue_name => $3::text, max_attempts => $4::integer, job_key => $5::text) as j
    where not exists (select from graphile_worker._private_jobs q where q.key = $5::text and q.attempts < q.max_attempts)`,
)

/**
 * Adds a job that should be in the queue, unless it is there: the queue of a database that was copied without it is empty.
 * Resolves to whether it was added.
 */
export async function ensureJob(
  asked: { query(statement: Statement, values: readonly unknown[]): Promise<Row[]> },
  organizationId: string,
  { job, payload, key }: JobRequest & { readonly key: string },
): Promise<boolean> {
  const envelope: Envelope = { organizationId, payload }
  const values = [
    job.name,
    JSON.stringify(envelope),
    queueOf(job.name, organizationId),
    // As for every job, one attempt more, which only gives up.
    attemptsOf(job) + 1,
    keyOf(job.name, organizationId, key),
  ]
  return (await asked.query(insertMissingJob, values)).length > 0
}
