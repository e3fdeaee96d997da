import { unattended, type Writer } from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'

/** Writes a part of a job. The keys of records are those of the application that asked for the job. */
export function writerOf(organizationId: string, applicationId: string | null, jobId: string): Writer {
  return {
    organizationId,
    author: { type: 'bulk_job', uuid: null, jobId },
    applicationId,
    requestId: newId(),
    clientRequestId: null,
    idempotency: null,
    managesCustomFields: false,
    reader: unattended(organizationId),
  }
}
