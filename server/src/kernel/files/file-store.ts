/**
 * Where the bytes of files are: a folder of this machine, or an S3 bucket. The store knows nothing of organizations and rows. Keys come
 * from `fileKey`, never from a client. If the store itself fails, every method throws `FileStoreFailure`.
 */
export interface FileStore {
  /** Stores the bytes under a new key, completely or not at all. Once it resolves, they survive a crash. */
  put(key: string, source: FileSource): Promise<void>
  /**
   * The bytes, or a range of them, in chunks. The store is read when the first chunk is requested, and released by `return`. Throws
   * `FileMissing` with the first chunk if nothing is stored under this key.
   */
  get(key: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /** Size and time of what is stored under this key; null for nothing. */
  stat(key: string): Promise<StoredFile | null>
  /** Everything whose key starts with the prefix: '' or whole parts of a key, ending with a slash. In no particular order. */
  list(prefix: string): AsyncIterable<StoredFile>
  /** Removes what is stored under the key. It is not an error if there is nothing. */
  remove(key: string): Promise<void>
  /** Removes incomplete files that killed processes left, an hour after their last byte. Resolves to how many were removed. */
  removeDrafts(): Promise<number>
}

/** A spooled file, which the store copies, or a stream of chunks. */
export type FileSource = { readonly path: string } | { readonly chunks: AsyncIterable<Uint8Array> }

/** The first and the last byte, counted from 0, both inclusive. */
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

/** The store could not be reached, or is full. Nothing was stored or removed; a retry may succeed. */
export class FileStoreFailure extends Error {}

/** The store has no bytes for a file that should be there. */
export class FileMissing extends Error {
  constructor(key: string) {
    super(`there is no file under ${key}`)
  }
}
