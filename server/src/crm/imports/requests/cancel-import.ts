import type { FileName } from '../../../kernel/files/index.ts'
import { discardDropped, type Operation } from '../../../kernel/index.ts'
import { Refusal } from '../../../kernel/schema/index.ts'
import { cancellation } from '../run/cancellation.ts'
import { changeImport, refuseStatus } from './change-import.ts'
import { importOperation } from './import-operation.ts'

/**
 * `POST /imports/:id/cancel`: ends an import. Rows that were applied stay; a running import ends when the rows at hand are
 * done (contract section 10.3).
 */
export const cancelImport: Operation = importOperation({
  id: 'imports.cancel',
  method: 'POST',
  path: '/imports/{id}/cancel',
  summary: 'Cancel an import',
  description:
    'Rows that were applied stay. A running import is canceling until the rows at hand are done. The answer quotes no cells.',
  refuses: ['not_found', 'resource_deleted', 'unprocessable'],
  async execute(request, services) {
    const { organizationId } = request.writer
    let dropped: FileName | null = null
    const outcome = await changeImport(request, services, (row, write) => {
      const canceled = cancellation(row, organizationId, write)
      dropped = canceled?.dropped ?? null
      return canceled === null ? refuseStatus(row.status, 'canceled') : { status: 200, ...canceled }
    })
    const isCanceled = !(outcome instanceof Refusal) && outcome.replayed !== true
    if (isCanceled && dropped !== null) await discardDropped([dropped], request, services)
    return outcome
  },
})
