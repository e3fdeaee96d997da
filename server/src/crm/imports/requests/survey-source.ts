import { findForm, openTable, type WantedForm } from '../../../kernel/documents/index.ts'
import { copyLocally } from '../../../kernel/files/index.ts'
import type { Request, Services } from '../../../kernel/index.ts'
import type { Refusal } from '../../../kernel/schema/index.ts'
import { type ImportRow, isImportRow, type KnownForm } from '../import.ts'
import { selectImport } from '../imports.sql.ts'
import { type Survey, survey } from '../reading/survey.ts'
import { refuseDropped } from './change-import.ts'
import { refusingUnreadable } from './unreadable.ts'

/** What a file is like, and how it is read. */
export interface Surveyed extends Survey {
  readonly form: KnownForm
}

/** How a file is to be surveyed. */
export interface SurveyWish extends WantedForm {
  readonly headerRow: number
  readonly sampleSize: number
}

/** The import that a request names, as it is before the request; null if there is none. */
export async function findImport({ path, writer, reader }: Request, { database }: Services): Promise<ImportRow | null> {
  const [row] = await database.query(selectImport, [writer.organizationId, path.id], reader)
  return isImportRow(row) ? row : null
}

/**
 * Reads the file of an import to its end. A large file waits until the others that are read are done. Gives a refusal
 * (422) if the file cannot be read or is there no more.
 */
export async function surveySource(
  row: ImportRow,
  wish: SurveyWish,
  { writer, reader }: Request,
  services: Services,
): Promise<Surveyed | Refusal> {
  await reader.giveWay()
  const { organizationId } = writer
  const file = row.file_id === null ? null : ({ organizationId, purpose: 'import', id: row.file_id } as const)
  const copy = file === null ? null : await copyLocally(file, services)
  if (copy === null) return refuseDropped(row.status)
  try {
    return await refusingUnreadable('/file', async () => {
      const source = await findForm(copy.path, wish)
      const table = await openTable(copy.path, source, wish.headerRow)
      const form = { source, headerRow: wish.headerRow, header: table.header }
      return { ...(await survey(table, wish.sampleSize)), form }
    })
  } finally {
    await copy.remove()
  }
}
