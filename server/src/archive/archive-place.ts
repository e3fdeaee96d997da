import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type ByteRange, S3Objects, type S3Settings, WrittenFile } from '../kernel/files/index.ts'
import { ArchiveError } from './archive-error.ts'
import type { ArchiveTarget } from './written-archive.ts'

/** An S3 object has 10,000 parts at most, so an archive in a bucket is at most 312 GiB. */
const partBytes = 32 * 1024 ** 2

/** The connection settings for buckets, whose names begin with `s3://`. If undefined, the settings of the environment apply. */
export type BucketAccess = Omit<S3Settings, 'bucket'> | undefined

/** The source of an archive: a local file, or an object in a bucket. */
export interface ArchiveSource {
  readonly size: number
  read(range: ByteRange): AsyncIterable<Uint8Array>
}

/** A bucket, and an object key or key prefix in it. */
interface BucketPlace {
  readonly objects: S3Objects
  readonly key: string
}

/**
 * Parses a text such as `s3://bucket/key`; null for any other text, which is a path. Throws an `ArchiveError` for an incomplete address.
 */
export function bucketPlace(text: string, access: BucketAccess): BucketPlace | null {
  if (!text.startsWith('s3://')) return null
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/*(.*?)\/*$/u.exec(text) ?? []
  if (bucket === '') throw new ArchiveError(`${text} names no bucket: write s3://bucket/prefix`)
  const settings = access ?? { endpoint: undefined, region: undefined, credentials: undefined }
  return { objects: new S3Objects({ ...settings, bucket }), key }
}

/** Opens the archive at a path or in a bucket. Throws if there is none. */
export async function sourceAt(text: string, access: BucketAccess): Promise<ArchiveSource> {
  const place = bucketPlace(text, access)
  if (place === null) {
    const found = await stat(text)
    if (!found.isFile()) throw new ArchiveError(`${text} is not a file`)
    return { size: found.size, read: range => createReadStream(text, range) }
  }
  const { objects, key } = place
  const found = key === '' ? null : await objects.stat(key)
  if (found === null) throw new ArchiveError(`there is no ${text}`)
  return { size: found.size, read: range => objects.get(key, range) }
}

/** A local file that only its owner can read. With `replace` it may already exist. */
export async function fileTarget(path: string, { replace }: { readonly replace: boolean }): Promise<ArchiveTarget> {
  if (!replace && (await stat(path).catch(() => null)) !== null) throw new ArchiveError(`${path} is there already`)
  const file = await WrittenFile.open(path)
  return {
    async take(bytes) {
      for await (const chunk of bytes) await file.write(chunk)
    },
    keep: () => (replace ? file.keep() : file.keepAsNew()),
    discard: () => file.discard(),
  }
}

/** Bytes written to a stream cannot be withdrawn: they are valid only if the program exits with success. */
export function streamTarget(output: (bytes: Uint8Array) => Promise<void>): ArchiveTarget {
  return {
    async take(bytes) {
      for await (const chunk of bytes) await output(chunk)
    },
    async keep() {},
    async discard() {},
  }
}

/** An object, which becomes visible only when it is complete. */
export function objectTarget(objects: S3Objects, key: string): ArchiveTarget {
  let isKept = false
  return {
    async take(bytes) {
      await objects.put(key, { chunks: bytes }, partBytes)
      isKept = true
    },
    async keep() {},
    async discard() {
      if (isKept) await objects.remove(key)
    },
  }
}
