import { importUndoRecord, keptRecords, organizationOfImport, undoImport } from '../../../crm/imports/index.ts'
import { type Author, findJobRecord, Refusal, type Services } from '../../../kernel/index.ts'
import { isUuid, type JsonObject } from '../../../kernel/schema/index.ts'

/** The undo of an import, where it is. */
export interface FoundUndo {
  readonly organizationId: string
  readonly importId: string
  readonly undoId: string
}

/** Begins to undo an import, or continues; one that is under way or complete stays as it is. Throws the reason if it cannot be undone. */
export async function undoJob(importId: string, author: Author, services: Services): Promise<FoundUndo> {
  const organizationId = isUuid(importId) ? await organizationOfImport(services.database, importId) : null
  if (organizationId === null) throw new Error(`no such import: ${importId}`)
  const begun = await undoImport(importId.toLowerCase(), author, { organizationId, services })
  if (begun instanceof Refusal) throw new Error(begun.message)
  return { organizationId, importId: importId.toLowerCase(), ...begun }
}

/** How far an undo has come, and the first 1,000 records of which something stays. */
export async function readUndo({ organizationId, undoId }: FoundUndo, services: Services): Promise<JsonObject> {
  const place = { organizationId, services }
  const undo = await findJobRecord(importUndoRecord, undoId, place)
  if (undo === null) throw new Error(`the undo ${undoId} is gone`)
  const { position: _, ...shown } = undo
  return { organizationId, ...shown, records: await keptRecords(undoId, place) }
}
