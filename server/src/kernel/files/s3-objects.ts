import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { bounds } from '../limits/index.ts'
import { isObject } from '../schema/index.ts'
import { type ByteRange, FileMissing, type FileSource, FileStoreFailure, type StoredFile } from './file-store.ts'
import { eachInTime } from './in-time.ts'
import { S3Clients, type S3Settings } from './s3-clients.ts'
import { fromSource, sourceError } from './source.ts'

const usualPartBytes = 8 * 1024 * 1024

/** The library is large and optional. It is loaded when the first file is requested. */
const library = {
  client: () => import('@aws-sdk/client-s3'),
  upload: () => import('@aws-sdk/lib-storage'),
}

/** The objects of an S3 bucket, or of one at a service with the same protocol, under any keys. */
export class S3Objects {
  readonly #bucket: string
  readonly #clients: S3Clients
  readonly #called: string

  /** `called` is the name of the bucket in messages. */
  constructor(settings: S3Settings, called = `the bucket ${settings.bucket}`) {
    this.#called = called
    this.#bucket = settings.bucket
    this.#clients = new S3Clients(settings)
  }

  /** Size and time of an object; null if it does not exist. */
  async stat(key: string): Promise<StoredFile | null> {
    try {
      return await this.#ask(
        async (client, { HeadObjectCommand }) => {
          const found = await client.send(new HeadObjectCommand(this.#at(key)))
          return storedFile(key, found.ContentLength, found.LastModified)
        },
        { key },
      )
    } catch (error) {
      if (error instanceof FileMissing) return null
      throw error
    }
  }

  /** All objects whose keys start with the prefix. */
  async *list(prefix: string): AsyncGenerator<StoredFile> {
    let from: string | undefined
    do {
      const start = from
      const page = await this.#ask((client, { ListObjectsV2Command }) =>
        client.send(new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: prefix, ContinuationToken: start })),
      )
      for (const { Key: key, Size, LastModified } of page.Contents ?? []) {
        if (key !== undefined) yield storedFile(key, Size, LastModified)
      }
      from = page.NextContinuationToken
    } while (from !== undefined)
  }

  /** Stores an object, completely or not at all. An object has at most 10,000 parts of `partBytes`, and two of them are held in memory. */
  put(key: string, source: FileSource, partBytes = usualPartBytes): Promise<void> {
    return this.#ask(async (client, { PutObjectCommand }) => {
      if ('path' in source) {
        const { size } = await stat(source.path)
        const body = createReadStream(source.path)
        await client
          .send(new PutObjectCommand({ ...this.#at(key), Body: body, ContentLength: size }))
          .finally(() => body.destroy())
        return
      }
      const { Upload } = await library.upload()
      const params = { ...this.#at(key), Body: Readable.from(fromSource(source.chunks)) }
      await new Upload({ client, params, partSize: partBytes, queueSize: 1 }).done()
    })
  }

  /** The bytes of an object, or a range of them. Throws with the first chunk: `FileMissing` if the object does not exist. */
  async *get(key: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }
    const found = await this.#ask(
      (client, { GetObjectCommand }) => client.send(new GetObjectCommand({ ...this.#at(key), ...part })),
      { key, client: this.#clients.ofBytes() },
    )
    const { Body: body } = found
    if (!(body instanceof Readable)) throw new Error(`${this.#called} gives no stream`)
    try {
      yield* eachInTime(body, bounds.bucketSilence.most)
    } catch (error) {
      throw failure(error, this.#called, key)
    } finally {
      body.destroy()
    }
  }

  remove(key: string): Promise<void> {
    return this.#ask(async (client, { DeleteObjectCommand }) => {
      await client.send(new DeleteObjectCommand(this.#at(key)))
    })
  }

  #at(key: string) {
    return { Bucket: this.#bucket, Key: key }
  }

  async #ask<Result>(
    work: (client: S3Client, commands: Awaited<ReturnType<typeof library.client>>) => Promise<Result>,
    { key, client = this.#clients.usual() }: { key?: string; client?: Promise<S3Client> } = {},
  ): Promise<Result> {
    try {
      return await work(await client, await library.client())
    } catch (error) {
      throw failure(error, this.#called, key)
    }
  }
}

function storedFile(key: string, size: number | undefined, storedAt: Date | undefined): StoredFile {
  if (size === undefined || storedAt === undefined) throw new Error('the bucket reports no size or time')
  return { key, size, storedAt }
}

const missing: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound'])

/**
 * Translates an error of the library. The error object itself is not passed on: it contains the signed request, which would get into the
 * log.
 */
function failure(error: unknown, bucket: string, key?: string): unknown {
  const ofSource = sourceError(error)
  if (ofSource !== null) return ofSource.error
  if (!(error instanceof Error) || error instanceof FileStoreFailure) return error
  const { name, message } = isForbidden(error) ? forbidden : error
  if (key !== undefined && missing.has(name)) return new FileMissing(key)
  return new FileStoreFailure(`${bucket}: ${name === 'Error' ? message : `${name}: ${message}`}`)
}

/** An answer to a HEAD request has no body, so the library has only its status. */
const forbidden = { name: 'Forbidden', message: 'status 403' }

function isForbidden(error: Error): boolean {
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined
  const isUntold = error.name === 'Unknown' || error.name === '403'
  return isUntold && isObject(metadata) && metadata.httpStatusCode === 403
}
