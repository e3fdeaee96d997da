import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { assertKey } from './file-key.ts'
import { type ByteRange, type FileSource, type FileStore, FileStoreFailure, type StoredFile } from './file-store.ts'
import type { S3Settings } from './s3-clients.ts'
import { S3Objects } from './s3-objects.ts'

/** The files of an installation in a bucket, under keys of this product alone. */
export class S3Store extends S3Objects implements FileStore {
  constructor(settings: S3Settings) {
    super(settings, 'the bucket of files')
  }

  override put(key: string, source: FileSource): Promise<void> {
    assertKey(key)
    return super.put(key, source)
  }

  override get(key: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    assertKey(key)
    return super.get(key, range)
  }

  override async stat(key: string): Promise<StoredFile | null> {
    assertKey(key)
    return super.stat(key)
  }

  override remove(key: string): Promise<void> {
    assertKey(key)
    return super.remove(key)
  }

  /** A bucket never shows incomplete objects; its own rules remove the parts of unfinished uploads. */
  async removeDrafts(): Promise<number> {
    return 0
  }

  /** Throws, with a reason for the operator, unless files can be stored, read and removed. */
  async check(): Promise<void> {
    const key = `doctor/${randomUUID()}`
    const probe = Buffer.from('Can a file be written here?\n')
    await super.put(key, { chunks: Readable.from([probe]) })
    try {
      const read: Uint8Array[] = []
      for await (const chunk of super.get(key)) read.push(chunk)
      if (!Buffer.concat(read).equals(probe)) throw new FileStoreFailure('the bucket of files gives other bytes back')
    } finally {
      await super.remove(key)
    }
  }
}
