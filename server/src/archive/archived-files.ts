import { createHash } from 'node:crypto'
import {
  FileMissing,
  type FileStore,
  type Files,
  fileKey,
  type RecordedFile,
  selectFile,
  selectRecordedFiles,
  toRecordedFile,
} from '../kernel/files/index.ts'
import { beforeAllIds } from '../kernel/schema/index.ts'
import type { Database, LongTransaction } from '../kernel/sql/index.ts'
import { ArchiveError } from './archive-error.ts'
import type { ArchivedOrganization } from './manifest.ts'
import type { ReadArchive } from './read-archive.ts'
import type { WrittenArchive } from './written-archive.ts'

const folder = 'files/'

/** All files that this snapshot counts, in the order of their organizations, or those of one organization. */
async function* recordedFiles(
  transaction: LongTransaction,
  organization: ArchivedOrganization | null,
): AsyncGenerator<RecordedFile> {
  for (let last = [organization?.id ?? beforeAllIds, beforeAllIds]; ; ) {
    const rows = await transaction.query(selectRecordedFiles, last)
    if (rows.length === 0) return
    for (const row of rows) {
      last = [String(row.organizationId), String(row.id)]
      if (organization !== null && row.organizationId !== organization.id) return
      yield toRecordedFile(String(row.organizationId), row)
    }
  }
}

/**
 * Adds the bytes of all these files. A file that is removed while the archive is written has no bytes any more, and is counted as missing;
 * if a file is missing for another reason, the archive fails.
 */
export async function addFiles(
  archive: WrittenArchive,
  { files, database }: { readonly files: Files; readonly database: Database },
  transaction: LongTransaction,
  organization: ArchivedOrganization | null,
): Promise<{ count: number; removed: number }> {
  let [count, removed] = [0, 0]
  for await (const file of recordedFiles(transaction, organization)) {
    const first = await firstOf(files.read(file))
    if (first === null) {
      const [row] = await database.query(selectFile, [file.organizationId, file.id])
      if (row !== undefined) throw new ArchiveError(`the file ${fileKey(file)} is missing: see doctor --files`)
      removed += 1
      continue
    }
    const measure = await archive.add(folder + fileKey(file), first, { compress: false })
    if (measure.sha256() !== file.sha256)
      throw new ArchiveError(`the file ${fileKey(file)} is not as it was recorded: see doctor --files`)
    count += 1
  }
  return { count, removed }
}

/** The bytes; null if there is no such file. */
async function firstOf(bytes: AsyncIterable<Uint8Array>): Promise<AsyncGenerator<Uint8Array> | null> {
  const iterator = bytes[Symbol.asyncIterator]()
  try {
    const first = await iterator.next()
    return restOf(first, iterator)
  } catch (error) {
    if (error instanceof FileMissing) return null
    throw error
  }
}

async function* restOf(
  first: IteratorResult<Uint8Array>,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}

/** Stores the files of an archive as their rows describe them; the rows are already written. Resolves to the number of files. */
export async function restoreFiles(
  archive: ReadArchive,
  store: FileStore,
  transaction: LongTransaction,
  organization: ArchivedOrganization | null,
): Promise<number> {
  let restored = 0
  for await (const file of recordedFiles(transaction, organization)) {
    const name = folder + fileKey(file)
    if (!archive.has(name)) continue
    await storeFile(file, archive.read(name), store)
    restored += 1
  }
  return restored
}

/** Stores one file. Throws an `ArchiveError` if the bytes do not match the row. */
export async function storeFile(file: RecordedFile, bytes: AsyncIterable<Uint8Array>, store: FileStore): Promise<void> {
  const hash = createHash('sha256')
  await store.put(fileKey(file), { chunks: hashed(bytes, hash) })
  if (hash.digest('hex') !== file.sha256)
    throw new ArchiveError(`the bytes of the file ${file.id} are not those of its row: the file is damaged`)
}

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
}
