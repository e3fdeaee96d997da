import { newId } from '../schema/index.ts'
import { type Row, type Statement, statement } from '../sql/index.ts'
import type { Envelope } from './envelope.ts'
import type { JobRequest } from './job.ts'
import { attemptsOf, keyOf, queueOf } from './names.ts'

const addOne = `select j.id from graphile_worker.add_job($1::text, $2::json, queue_name => $3::text, run_at => $4::timestamptz,
     max_attempts => $5::integer, job_key => $6::text) as j`

const insertJob = statement('add_job', addOne)

// A job without attempts left does not run any more, so its key is free for another job.
const insertMissingJob = statement(
  'add_missing_job',
  `${addOne}
    where not exists (select from graphile_worker._private_jobs q where q.key = $6::text and q.attempts < q.max_attempts)`,
)

interface Connection {
  query(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

/** Adds a job of an organization, or of none (`noOrganization`), to the queue; it runs once the transaction has committed. Resolves when the statement has been answered. */
export async function addJob(transaction: Connection, organizationId: string, request: JobRequest): Promise<void> {
  await transaction.query(insertJob, valuesOf(organizationId, request))
}

/** Adds a job unless the queue already has it, as after a database was copied without its queue. Resolves to whether it was added. */
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
    // One extra attempt: if the process ended during the last one, it only gives the job up.
    attemptsOf(job) + 1,
    keyOf(job.name, organizationId, key),
  ]
}
