import type { Database } from '../sql/index.ts'
import { type FileName, readFileKey } from './file-key.ts'
import type { StoredFile } from './file-store.ts'
import { selectKnownFiles, selectOrganizationOfFiles } from './files.sql.ts'
import type { Files } from './files.ts'

/** A younger file may still get its row: `recordFile` gives up after half of that time. */
const grownOldMilliseconds = 3_600_000
/** The same for files of an organization that does not exist here: it may be in the middle of a restore, with all its files. */
const strangeMilliseconds = 7 * 86_400_000

/** How many files one query looks up. */
const portion = 500

export interface FilesAndRows {
  readonly files: Files
  readonly database: Pick<Database, 'query'>
}

/**
 * Files in the store without a row one hour after they were stored: leftovers of a crash, and files whose rows are gone. Skips what is not
 * under a key of this product. `now` is the time in milliseconds.
 */
export async function* filesWithoutRow({ files, database }: FilesAndRows, now: number): AsyncGenerator<FileName> {
  let waiting: OldFile[] = []
  for await (const stored of files.store.list('')) {
    const file = oldFile(stored, now)
    if (file === null) continue
    if (waiting.length === portion || (waiting[0] ?? file).organizationId !== file.organizationId) {
      yield* await withoutRow(waiting, database, now)
      waiting = []
    }
    waiting.push(file)
  }
  yield* await withoutRow(waiting, database, now)
}

interface OldFile extends FileName {
  readonly storedAt: Date
}

function oldFile({ key, storedAt }: StoredFile, now: number): OldFile | null {
  const named = readFileKey(key)
  return named === null || isYounger(storedAt, now, grownOldMilliseconds) ? null : { ...named, storedAt }
}

function isYounger(storedAt: Date, now: number, milliseconds: number): boolean {
  return storedAt.getTime() > now - milliseconds
}

/** The files among these, of one organization, that have no row. */
async function withoutRow(
  found: readonly OldFile[],
  database: FilesAndRows['database'],
  now: number,
): Promise<readonly FileName[]> {
  const [first] = found
  if (first === undefined) return []
  const { organizationId } = first
  const rows = await database.query(selectKnownFiles, [organizationId, found.map(({ id }) => id)])
  const known = new Set(rows.map(({ id, purpose }) => `${String(purpose)}/${String(id)}`))
  const unknown = found.filter(({ id, purpose }) => !known.has(`${purpose}/${id}`))
  if (unknown.length === 0 || (await database.query(selectOrganizationOfFiles, [organizationId])).length > 0)
    return unknown
  return unknown.filter(({ storedAt }) => !isYounger(storedAt, now, strangeMilliseconds))
}

/** Removes files without a row. Stops between two files when the signal is aborted. Resolves to how many were removed. */
export async function sweepFiles(services: FilesAndRows, signal: AbortSignal): Promise<{ filesWithoutRow: number }> {
  let removed = 0
  for await (const file of filesWithoutRow(services, Date.now())) {
    if (signal.aborted) break
    await services.files.discard([file])
    removed += 1
  }
  return { filesWithoutRow: removed }
}
