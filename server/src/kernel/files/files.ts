import { createHash } from 'node:crypto'
import type { RowChange } from '../record/index.ts'
import { newId } from '../schema/index.ts'
import { type FileName, type FilePurpose, fileKey } from './file-key.ts'
import type { FileLinks } from './file-links.ts'
import type { ByteRange, FileStore } from './file-store.ts'
import { filesTable, type RecordedFile } from './files.sql.ts'

/** A file to be stored. */
export interface FileToKeep {
  readonly organizationId: string
  readonly purpose: FilePurpose
  /** The name that a client uses to save the downloaded file. */
  readonly name: string
  readonly mediaType: string
  /** A spooled file with its hash, or a stream of chunks, which is hashed here. */
  readonly source:
    | { readonly path: string; readonly size: number; readonly sha256: string }
    | { readonly chunks: AsyncIterable<Uint8Array> }
}

/** A file whose bytes are in the store. It exists for clients only once the row of `recordFile` is committed. */
export interface KeptFile extends RecordedFile {
  /** When it was stored, by the monotonic clock of the process. */
  readonly at: number
}

/** Half of the time after which a file without a row is removed. A later row could refer to a removed file, so it is not written. */
const recordedWithinMilliseconds = 1_800_000

/** The files of all organizations: their bytes in a store, and links to them. */
export class Files {
  readonly store: FileStore
  readonly links: FileLinks

  constructor(store: FileStore, links: FileLinks) {
    this.store = store
    this.links = links
  }

  /**
   * Stores a file under a new id. If it throws `FileStoreFailure`, nothing is stored. The caller records the file with `recordFile` in the
   * transaction that needs it, or discards it; the sweep removes what a crash leaves.
   */
  async keep({ organizationId, purpose, name, mediaType, source }: FileToKeep): Promise<KeptFile> {
    const known = { organizationId, purpose, id: newId() }
    const key = fileKey(known)
    const about = { ...known, name, mediaType }
    if ('path' in source) {
      await this.store.put(key, { path: source.path })
      return { ...about, size: source.size, sha256: source.sha256, at: performance.now() }
    }
    const hash = createHash('sha256')
    let size = 0
    const counted = async function* () {
      for await (const chunk of source.chunks) {
        hash.update(chunk)
        size += chunk.length
        yield chunk
      }
    }
    await this.store.put(key, { chunks: counted() })
    return { ...about, size, sha256: hash.digest('hex'), at: performance.now() }
  }

  /** The bytes of a file, or a range of them. Throws with the first chunk, as the store does. */
  read(file: FileName, range?: ByteRange): AsyncIterable<Uint8Array> {
    return this.store.get(fileKey(file), range)
  }

  /** Removes the bytes of files whose rows were not committed or are gone. */
  async discard(kept: readonly FileName[]): Promise<void> {
    for (const file of kept) await this.store.remove(fileKey(file))
  }
}

/** The row of a stored file. `now` is the time of the transaction. */
export function recordFile({ id, purpose, name, mediaType, size, sha256, at }: KeptFile, now: string): RowChange {
  if (performance.now() - at > recordedWithinMilliseconds)
    throw new Error('a file was recorded too long after it was stored')
  const row = { id, purpose, name, media_type: mediaType, size_bytes: size, sha256, created_at: now }
  return { table: filesTable, operation: 'insert', row }
}

/** A file whose row is to be removed, and the bytes that this frees for the organization. */
export type ForgottenFile = Pick<RecordedFile, 'id' | 'size'>

/** The row change that removes a file. Afterwards `discard` removes its bytes, or else the sweep does. */
export function forgetFile({ id, size }: ForgottenFile): RowChange {
  return { table: filesTable, operation: 'delete', row: { id, size_bytes: size } }
}
