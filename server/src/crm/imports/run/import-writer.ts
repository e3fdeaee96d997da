import { unattended, type Writer } from '../../../kernel/index.ts'
import { newId } from '../../../kernel/schema/index.ts'
import type { ImportRow } from '../import.ts'

/** For whom an import writes: keys are those of the application that made it. Each chunk has an id of its own. */
export function importWriter(organizationId: string, row: ImportRow): Writer {
  return {
    organizationId,
    author: { type: 'import', uuid: row.author_uuid, jobId: row.id },
    applicationId: row.application_id,
    requestId: newId(),
    clientRequestId: null,
    idempotency: null,
    managesCustomFields: row.manages_custom_fields,
    reader: unattended(organizationId),
  }
}
