import { forgetFile } from '../../../kernel/files/index.ts'
import type { Operation } from '../../../kernel/index.ts'
import { Refusal } from '../../../kernel/schema/index.ts'
import { actionRow } from '../../../kernel/write/index.ts'
import { changeImport, refuseStatus } from './change-import.ts'
import { importOperation } from './import-operation.ts'

/**
 * `POST /imports/:id/cancel`: ends an import. Rows that were applied stay; a running import ends when the rows at hand are
 * done (contract section 10).
 */
export const cancelImport: Operation = importOperation({
  id: 'imports.cancel',
  method: 'POST',
  path: '/imports/{id}/cancel',
  summary: 'Cancel an import',
  description: 'Rows that were applied stay. A running import is canceling until the rows at hand are done.',
  refuses: ['not_found', 'unprocessable'],
  async execute(request, services) {
    const { organizationId } = request.writer
    let fileId: string | null = null
    const outcome = await changeImport(request, services, (row, write) => {
      fileId = null
      const { id, status } = row
      const noted = actionRow(
        { resourceType: 'import', resourceId: id, action: 'import.canceled', version: null },
        write,
      )
      if (status === 'canceled' || status === 'canceling') return { status: 200, changed: {} }
      if (status === 'running') return { status: 200, changed: { status: 'canceling' }, rows: [noted] }
      if (row.finished_at !== null) return refuseStatus(status, 'canceled')
      fileId = row.file_id
      const forgotten = fileId === null ? [] : [forgetFile({ organizationId, purpose: 'import', id: fileId })]
      const changed = { status: 'canceled', finished_at: write.now, file_id: null } as const
      return { status: 200, changed, rows: [...forgotten, noted] }
    })
    const isCanceled = !(outcome instanceof Refusal) && outcome.replayed !== true
    if (isCanceled && fileId !== null) await services.files.discard([{ organizationId, purpose: 'import', id: fileId }])
    return outcome
  },
})
