import { UnreadableFile } from '../../kernel/documents/index.ts'
import { copyLocally } from '../../kernel/files/index.ts'
import type { Request, Services } from '../../kernel/index.ts'
import { sandboxes } from '../../kernel/sandbox/index.ts'
import { type Refusal, violates } from '../../kernel/schema/index.ts'
import { refuseDropped } from './change-import.ts'
import { type ImportRow, importRecord, isImportRow } from './import.ts'
import { type Surveyed, surveySource } from './reading/read-source.ts'
import type { SurveyWish } from './reading/reading-process.ts'

/** The import that a request names, in its state before the request; null if there is none. */
export async function findImport({ path, actor, reader }: Request, { database }: Services): Promise<ImportRow | null> {
  const [row] = await database.query(importRecord.one, [actor.organizationId, path.id], reader)
  return isImportRow(row) ? row : null
}

/**
 * Reads the file of an import to its end. Returns a refusal (422) if the file cannot be read or was removed. Throws `Overloaded` if the
 * wait for other files is too long.
 */
export async function surveyImport(
  row: ImportRow,
  wish: SurveyWish,
  { actor, reader }: Request,
  services: Services,
): Promise<Surveyed | Refusal> {
  const { organizationId } = actor
  const file = row.file_id === null ? null : ({ organizationId, purpose: 'import', id: row.file_id } as const)
  if (file === null) return refuseDropped(row.status)
  const waiting = { organizationId, spool: services.spool, whenGone: reader.whenGone }
  return sandboxes.run('requests', waiting, async read => {
    const copy = await copyLocally(file, services)
    if (copy === null) return refuseDropped(row.status)
    return refusingUnreadable('/file', () => surveySource(copy.path, row.entity_type, wish, read)).finally(copy.remove)
  })
}

/** The result of reading a file, or the refusal (422) of an unreadable file, at this JSON pointer. */
export async function refusingUnreadable<Result>(path: string, read: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return violates(path, error.reason, error.message)
  }
}
