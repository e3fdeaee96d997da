import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { assertKey } from './file-key.ts'
import { type ByteRange, type FileSource, type FileStore, FileStoreFailure, type StoredFile } from './file-store.ts'
import type { S3Settings } from './s3-clients.ts'
import { S3Objects } from './s3-objects.ts'

/** The files of an installation in a bucket. */
export class S3Store implements FileStore {
  readonly #objects: S3Objects

  constructor(settings: S3Settings) {
    this.#objects = new S3Objects(settings, 'the bucket of files')
  }

  put(key: string, source: FileSource): Promise<void> {
    assertKey(key)
    return this.#objects.put(key, source)
  }

  async *get(key: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    assertKey(key)
    yield* this.#objects.get(key, range)
  }

  async stat(key: string): Promise<StoredFile | null> {
    assertKey(key)
    return this.#objects.stat(key)
  }

  list(prefix: string): AsyncGenerator<StoredFile> {
    return this.#objects.list(prefix)
  }

  remove(key: string): Promise<void> {
    assertKey(key)
    return this.#objects.remove(key)
  }

  /** A bucket never shows incomplete objects; its own rules remove the parts of unfinished uploads. */
  async removeDrafts(): Promise<number> {
    return 0
  }

  /** Throws, with a reason for the operator, unless files can be stored, read and removed. */
  async check(): Promise<void> {
    const key = `doctor/${randomUUID()}`
    const probe = Buffer.from('Can a file be written here?\n')
    await this.#objects.put(key, { chunks: Readable.from([probe]) })
    try {
      const read: Uint8Array[] = []
      for await (const chunk of this.#objects.get(key)) read.push(chunk)
      if (!Buffer.concat(read).equals(probe)) throw new FileStoreFailure('the bucket of files gives other bytes back')
    } finally {
      await this.#objects.remove(key)
    }
  }
}
