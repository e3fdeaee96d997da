import { beforeAllIds } from '../schema/index.ts'
import { fileKey } from './file-key.ts'
import { selectKnownFiles, selectRecordedFiles, toRecordedFile } from './files.sql.ts'
import type { FilesAndRows } from './files-without-row.ts'

/** A row, and what is wrong with its bytes in the store. */
export interface LostFile {
  readonly key: string
  readonly fault: 'missing' | 'another size'
}

/** Compares every row with the store, with one look-up for each row. Calls `count` with the number of rows checked. */
export async function* rowsWithoutFile(
  { files, database }: FilesAndRows,
  count: (rows: number) => void,
): AsyncGenerator<LostFile> {
  let [organizationId, id] = [beforeAllIds, beforeAllIds]
  for (;;) {
    const rows = await database.query(selectRecordedFiles, [organizationId, id])
    for (const row of rows) {
      organizationId = String(row.organizationId)
      const file = toRecordedFile(organizationId, row)
      id = file.id
      const stored = await files.store.stat(fileKey(file))
      if (stored?.size === file.size) continue
      // The row may have been removed meanwhile, together with the file.
      const [still] = await database.query(selectKnownFiles, [organizationId, [id]])
      if (still !== undefined) yield { key: fileKey(file), fault: stored === null ? 'missing' : 'another size' }
    }
    count(rows.length)
    if (rows.length === 0) return
  }
}
