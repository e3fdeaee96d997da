import { dropJob, retryJob } from '../../../kernel/jobs/index.ts'
import type { JobReader } from './job-reader.ts'

/**
 * Cancels a job. A kind that can be canceled marks its record, and the job ends by itself when it runs next: then this resolves
 * to `ends`. Of other kinds a job is taken out of the queue, unless it is running: then this throws the reason.
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
