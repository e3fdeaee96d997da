import { dropJob, retryJob } from '../../../kernel/jobs/index.ts'
import type { JobReader } from './job-reader.ts'

/**
 * Cancels a job. A kind that can be canceled marks its record, and the job ends when it runs next: the result is `ends`. A job of another
 * kind is removed from the queue; if it is running, throws the reason.
 */
export async function cancelJob(reader: JobReader, id: string): Promise<'ends' | 'canceled'> {
  const found = await reader.find(id)
  const { services } = reader
  const cancel = reader.kindOf(found)?.cancel
  if (cancel !== undefined && found.organizationId !== null) {
    await cancel(found.payload, { organizationId: found.organizationId, services })
    await retryJob(services.database, found)
    return 'ends'
  }
  if (await dropJob(services.database, found)) return 'canceled'
  throw new Error(`the job is running, and a job of the kind ${found.job} ends by itself alone`)
}
