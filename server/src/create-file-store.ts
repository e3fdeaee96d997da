import { join } from 'node:path'
import type { Config } from './config.ts'
import { DiskStore, type FileStore, S3Store } from './kernel/files/index.ts'

/** The store of files that is configured: a bucket, or a folder below the data directory. */
export function createFileStore({
  s3,
  dataDirectory,
}: Partial<Pick<Config, 's3'>> & Pick<Config, 'dataDirectory'>): FileStore {
  return s3 === undefined ? new DiskStore(join(dataDirectory, 'files')) : new S3Store(s3)
}
