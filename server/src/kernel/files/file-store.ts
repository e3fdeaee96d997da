/**
 * Where the bytes of files lie: a folder of this machine, or an S3 bucket. It knows nothing of organizations and rows.
 * Keys come from `fileKey`, never from a client. When the store itself fails, every method throws `FileStoreFailure`.
 */
export interface FileStore {
  /** Stores the bytes under a new key, whole or not at all. When it resolves they survive a crash. */
  put(key: string, source: FileSource): Promise<void>
  /**
   * The bytes, or a part of them, in chunks. They are asked for with the first chunk, and let go in `return`. Throws
   * `FileMissing` with the first chunk if there are none under this key.
   */
  get(key: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /** What is stored under this key; null if nothing is. */
  stat(key: string): Promise<StoredFile | null>
  /** Everything whose key starts with the prefix: '' or whole parts of a key with a slash behind. In no order. */
  list(prefix: string): AsyncIterable<StoredFile>
  /** Removes what is stored under the key. It is no error if nothing is. */
  remove(key: string): Promise<void>
  /**
   * Removes what was being stored when a process was killed, an hour after the last byte of it. Resolves to how much that was.
   */
  removeDrafts(): Promise<number>
}

/** A spooled file, which the store copies, or the bytes as they come. */
export type FileSource = { readonly path: string } | { readonly chunks: AsyncIterable<Uint8Array> }

/** The first byte and the last one, both counted from 0 and both included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface StoredFile {
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** When it was stored, by the clock of the store. */
  readonly storedAt: Date
}

/** The store could not be reached, or has no room. Nothing was stored or removed, and trying again helps. */
export class FileStoreFailure extends Error {}

/** A file is not where it should be. */
export class FileMissing extends Error {
  constructor(key: string) {
    super(`there is no file under ${key}`)
  }
}
