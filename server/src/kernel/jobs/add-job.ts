import { newId } from '../schema/index.ts'
import { type Statement, statement, type Transaction } from '../sql/index.ts'
import type { JobRequest } from './job.ts'
import { attemptsOf, keyOf, queueOf } from './names.ts'

const insertJob: Statement = statement(
  'add_job',
  `select j.id from graphile_worker.add_job($1::text, $2::json, queue_name => $3::text, run_at => $4::timestamptz,
     max_attempts => $5::integer, job_key => $6::text) as j`,
)

/** Adds a job to the queue; it runs when the transaction is committed. Resolves when the statement was answered. */
export async function addJob(
  transaction: Pick<Transaction, 'query'>,
  organizationId: string,
  { job, payload, runAt, key = newId() }: JobRequest,
): Promise<void> {
  await transaction.query(insertJob, [
    job.name,
    JSON.stringify({ organizationId, payload }),
    queueOf(job.name, organizationId),
    runAt?.toISOString() ?? null,
    attemptsOf(job) + 1,
    keyOf(job.name, organizationId, key),
  ])
}
