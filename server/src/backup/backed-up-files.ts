import { createHash } from 'node:crypto'
import {
  FileMissing,
  type FileStore,
  fileKey,
  type RecordedFile,
  selectFile,
  selectRecordedFiles,
  toRecordedFile,
} from '../kernel/files/index.ts'
import { beforeAllIds } from '../kernel/schema/index.ts'
import type { LongTransaction } from '../kernel/sql/index.ts'
import { BackupError } from './backup-error.ts'
import type { BackupParts } from './parts.ts'
import type { ReadArchive } from './read-archive.ts'
import type { WrittenArchive } from './written-archive.ts'

const folder = 'files/'

/** All files that count in this snapshot, in the order of their organizations. */
async function* recordedFiles(transaction: LongTransaction): AsyncGenerator<RecordedFile> {
  for (let last = [beforeAllIds, beforeAllIds]; ; ) {
    const rows = await transaction.query(selectRecordedFiles, last)
    if (rows.length === 0) return
    for (const row of rows) {
      last = [String(row.organizationId), String(row.id)]
      yield toRecordedFile(String(row.organizationId), row)
    }
  }
}

/**
 * Adds the bytes of all files that count. What is removed while the backup is written has no bytes any more, and is counted; a file
 * that is missing for another reason ends the backup.
 */
export async function addFiles(
  archive: WrittenArchive,
  { files, database }: Pick<BackupParts, 'files' | 'database'>,
  transaction: LongTransaction,
): Promise<{ count: number; removed: number }> {
  let [count, removed] = [0, 0]
  for await (const file of recordedFiles(transaction)) {
    const first = await firstOf(files.read(file))
    if (first === null) {
      const [row] = await database.query(selectFile, [file.organizationId, file.id])
      if (row !== undefined) throw new BackupError(`the file ${fileKey(file)} is missing: see doctor --files`)
      removed += 1
      continue
    }
    const measure = await archive.add(folder + fileKey(file), first, { compress: false })
    if (measure.sha256() !== file.sha256)
      throw new BackupError(`the file ${fileKey(file)} is not as it was recorded: see doctor --files`)
    count += 1
  }
  return { count, removed }
}

/** The bytes; null where there is no such file. */
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

/** Puts the files of a backup into the store, each as its restored row says. Resolves to how many there were. */
export async function restoreFiles(
  archive: ReadArchive,
  store: FileStore,
  transaction: LongTransaction,
): Promise<number> {
  let restored = 0
  for await (const file of recordedFiles(transaction)) {
    const name = folder + fileKey(file)
    if (!archive.has(name)) continue
    const hash = createHash('sha256')
    await store.put(fileKey(file), { chunks: hashed(archive.read(name), hash) })
    if (hash.digest('hex') !== file.sha256)
      throw new BackupError(`the bytes of the file ${file.id} are not those of its row: the backup is damaged`)
    restored += 1
  }
  return restored
}

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  for await (const chunk of bytes) {
    hash.update(chunk)
    yield chunk
  }
}
