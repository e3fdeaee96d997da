import {
  Actor,
  type Author,
  cabinetPath,
  defineOperation,
  type JobSurroundings,
  jsonBody,
  Lookup,
  type Mutation,
  mutate,
  notFound,
  type Operation,
  type Refusal,
  type Services,
} from '../../../kernel/index.ts'
import { newId, objectSchema, uuidSchema } from '../../../kernel/schema/index.ts'
import { actionRow } from '../../../kernel/write/index.ts'
import { missingImport } from '../change-import.ts'
import { importRecord, isImportRow } from '../import.ts'
import { firstUndoRow, importUndoRecord, importUndos, unfinished } from './import-undo.ts'
import { lockUndoOfImport } from './undo.sql.ts'
import { importUndoJob } from './undo-job.ts'
import { refuseUndo } from './undoable.rules.ts'

/**
 * Begins to take an import back in the background, or continues an undo that failed or was canceled; resolves to the id of the undo. An
 * undo that is under way or complete stays as it is. Refuses an unknown import, one that has not ended or has changed nothing, and one that
 * ended too long ago (contract section 10.3).
 */
export function undoImport(
  importId: string,
  author: Author,
  { organizationId, services }: JobSurroundings,
): Promise<{ readonly undoId: string } | Refusal> {
  return mutate(undoing(importId, services), Actor.of({ organizationId, author }), services)
}

/** `POST …/imports/{id}/undo` of the cabinet: the same for a user (contract section 10.3). */
export const undoImportByUser: Operation = defineOperation({
  id: 'imports.undo',
  method: 'POST',
  path: cabinetPath('/imports/{id}/undo'),
  summary: 'Undo an import',
  description:
    'In the background: removes the records that it made and restores what it changed, except what was changed since. One that is ' +
    'under way or complete stays as it is.',
  scopes: ['crm_import_manage'],
  success: [202],
  body: jsonBody('ImportUndoStart', {}),
  answer: { data: objectSchema('ImportUndoReceipt', { undoId: uuidSchema }) },
  refuses: [missingImport, ['unprocessable', 'The import has not ended, has changed nothing, or ended too long ago.']],
  execute: ({ path: { id = '' }, actor }, services) =>
    mutate(undoing(id, services), actor, services, data => ({ status: 202, data, tellsOf: [id] })),
})

function undoing(importId: string, { retention }: Pick<Services, 'retention'>): Mutation<{ readonly undoId: string }> {
  const { read } = importUndoRecord
  const imported = Lookup.row(importRecord.lock, [importId])
  const known = new Lookup(lockUndoOfImport, [importId], ([row]) => (row === undefined ? null : read(row)))
  return {
    needs: needs => needs.toLoad(imported, known),
    decide(work, write) {
      const row = work.read(imported)
      if (!isImportRow(row)) return notFound()
      const undo = work.read(known)
      if (undo !== null && undo.status !== 'failed' && undo.status !== 'canceled')
        return { result: { undoId: undo.id } }
      const times = { now: Date.parse(write.now), auditSeconds: retention.auditEntries }
      const refused = refuseUndo(row, times)
      if (refused !== null) return refused
      const id = undo?.id ?? newId()
      const change =
        undo === null
          ? ({ operation: 'insert', row: firstUndoRow(id, importId, write.now) } as const)
          : ({ operation: 'update', row: { id, status: 'queued', ...unfinished } } as const)
      const noted = { resourceType: 'import', resourceId: importId, action: 'import.undo_started', version: null }
      return {
        result: { undoId: id },
        rows: [{ table: importUndos, ...change }, actionRow(noted, write)],
        jobs: [importUndoJob.request(id)],
      }
    },
  }
}
