import { newId } from '../schema/index.ts'
import type { Transaction } from '../sql/index.ts'
import type { Envelope } from './envelope.ts'
import type { JobRequest } from './job.ts'
import { attemptsOf, keyOf, queueOf } from './names.ts'
import { insertJob } from './queue.sql.ts'

/** Adds a job to the queue; it runs when the transaction is committed. Resolves when the statement was answered. */
export async function addJob(
  transaction: Pick<Transaction, 'query'>,
  organizationId: string,
  { job, payload, runAt, key = newId() }: JobRequest,
): Promise<void> {
  const envelope: Envelope = { organizationId, payload }
  await transaction.query(insertJob, [
    job.name,
    JSON.stringify(envelope),
    queueOf(job.name, organizationId),
    runAt?.toISOString() ?? null,
    // One more than it is run: an attempt that only gives up, if the process ended in the last one.
    attemptsOf(job) + 1,
    keyOf(job.name, organizationId, key),
  ])
}
