import {
  Actor,
  type Author,
  type JobSurroundings,
  Lookup,
  type Mutation,
  mutate,
  notFound,
  type Refusal,
} from '../../../kernel/index.ts'
import { newId } from '../../../kernel/schema/index.ts'
import { actionRow } from '../../../kernel/write/index.ts'
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
  const { read } = importUndoRecord
  const imported = Lookup.row(importRecord.lock, [importId])
  const known = new Lookup(lockUndoOfImport, [importId], ([row]) => (row === undefined ? null : read(row)))
  const mutation: Mutation<{ readonly undoId: string }> = {
    needs: needs => needs.toLoad(imported, known),
    decide(work, write) {
      const row = work.read(imported)
      if (!isImportRow(row)) return notFound()
      const undo = work.read(known)
      if (undo !== null && undo.status !== 'failed' && undo.status !== 'canceled')
        return { result: { undoId: undo.id } }
      const times = { now: Date.parse(write.now), auditSeconds: services.retention.auditEntries }
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
  return mutate(mutation, Actor.of({ organizationId, author }), services)
}
