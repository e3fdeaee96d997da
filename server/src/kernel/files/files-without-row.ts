import type { Database } from '../sql/index.ts'
import { type FileName, readFileKey } from './file-key.ts'
import type { StoredFile } from './file-store.ts'
import { selectKnownFiles } from './files.sql.ts'
import type { Files } from './files.ts'

/** A younger file may still get its row: `recordFile` gives up after half of that time. */
const grownOldMilliseconds = 3_600_000

/** How many files are looked up at a time. */
const portion = 500

export interface FilesAndRows {
  readonly files: Files
  readonly database: Pick<Database, 'query'>
}

/**
 * Files in the store for which no row was committed within an hour: what a crash left, and files whose rows are gone. What
 * is not under a key of ours is not looked at. `now` is the time in milliseconds.
 */
export async function* filesWithoutRow({ files, database }: FilesAndRows, now: number): AsyncGenerator<FileName> {
  let waiting: FileName[] = []
  for await (const stored of files.store.list('')) {
    const file = oldFile(stored, now)
    if (file === null) continue
    if (waiting.length === portion || (waiting[0] ?? file).organizationId !== file.organizationId) {
      yield* await withoutRow(waiting, database)
      waiting = []
    }
    waiting.push(file)
  }
  yield* await withoutRow(waiting, database)
}

function oldFile({ key, storedAt }: StoredFile, now: number): FileName | null {
  return storedAt.getTime() > now - grownOldMilliseconds ? null : readFileKey(key)
}

/** Those of some files of one organization that have no row. */
async function withoutRow(found: readonly FileName[], database: FilesAndRows['database']): Promise<FileName[]> {
  const [first] = found
  if (first === undefined) return []
  const rows = await database.query(selectKnownFiles, [first.organizationId, found.map(({ id }) => id)])
  const known = new Set(rows.map(({ id, purpose }) => `${String(purpose)}/${String(id)}`))
  return found.filter(({ id, purpose }) => !known.has(`${purpose}/${id}`))
}

/**
 * Removes files without a row. Stops between two of them when the signal is aborted. Resolves to how many were removed.
 */
export async function sweepFiles(services: FilesAndRows, signal: AbortSignal): Promise<{ filesWithoutRow: number }> {
  let removed = 0
  for await (const file of filesWithoutRow(services, Date.now())) {
    if (signal.aborted) break
    await services.files.discard([file])
    removed += 1
  }
  return { filesWithoutRow: removed }
}
