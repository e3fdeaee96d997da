import { join } from 'node:path'
import { DiskStore, FileLinks, Files, S3Store, StoreWithTimeout } from '../kernel/files/index.ts'
import type { Secret } from '../kernel/index.ts'
import type { Config } from './config.ts'

type FileConfig = Pick<Config, 'dataDirectory'> & Partial<Pick<Config, 'publicBaseUrl' | 's3'>>

/** The files of an installation, in the configured store: a bucket, or a folder below the data directory. */
export function createFiles({ s3, dataDirectory, publicBaseUrl }: FileConfig, secret: Secret): Files {
  const store = s3 === undefined ? new StoreWithTimeout(new DiskStore(join(dataDirectory, 'files'))) : new S3Store(s3)
  return new Files(store, new FileLinks(secret, publicBaseUrl))
}
