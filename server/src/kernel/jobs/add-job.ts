import { newId } from '../schema/index.ts'
import { type Row, type Statement, statement } from '../sql/index.ts'
import type { Envelope } from './envelope.ts'
import type { JobRequest } from './job.ts'
import { attemptsOf, keyOf, queueOf } from './names.ts'

const addOne = `select j.id from graphile_worker.add_job($1::text, $2::json, queue_name => $3::text, run_at => $4::timestamptz,
     max_attempts => $5::integer, job_key => $6::text) as j`

const insertJob = statement('add_job', addOne)

// A job that has no attempts left does not run any more; its key is free for another one.
const insertMissingJob = statement(
  'add_missing_job',
  `${addOne}
    where not exists (select from graphile_worker._private_jobs q where q.key = $6::text and q.attempts < q.max_attempts)`,
)

interface Connection {
  query(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

/** Adds a job to the queue; it runs when the transaction is committed. Resolves when the statement was answered. */
export async function addJob(transaction: Connection, organizationId: string, request: JobRequest): Promise<void> {
  await transaction.query(insertJob, valuesOf(organizationId, request))
}

/**
 * Adds a job that should be in the queue, unless it is there: the queue of a database that was copied without it is empty.
 * Resolves to whether it was added.
 */
export async function ensureJob(
  asked: Connection,
  organizationId: string,
  request: JobRequest & { readonly key: string },
): Promise<boolean> {
  return (await asked.query(insertMissingJob, valuesOf(organizationId, request))).length > 0
}

function valuesOf(organizationId: string, { job, payload, runAt, key = newId() }: JobRequest): unknown[] {
  const envelope: Envelope = { organizationId, payload }
  return [
    job.name,
    JSON.stringify(envelope),
    queueOf(job.name, organizationId),
    runAt?.toISOString() ?? null,
    // One more than it is run: an attempt that only gives up, if the process ended in the last one.
    attemptsOf(job) + 1,
    keyOf(job.name, organizationId, key),
  ]
}
