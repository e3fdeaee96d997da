import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { assertKey } from './file-key.ts'
import {
  type ByteRange,
  FileMissing,
  type FileSource,
  type FileStore,
  FileStoreFailure,
  type StoredFile,
} from './file-store.ts'
import { fromSource, sourceError } from './source.ts'

/** The bucket of files, and who may use it. */
export interface S3Settings {
  readonly bucket: string
  /** Undefined: that of Amazon, by region. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Undefined: those that the machine has, such as the role of an instance. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

const connectionMilliseconds = 5000
/** How long a connection may say nothing. */
const silentMilliseconds = 10_000
const attempts = 3
const partBytes = 8 * 1024 * 1024

/** The library is large, and installed only where it can be. It is loaded when the first file is asked for. */
const library = {
  client: () => import('@aws-sdk/client-s3'),
  upload: () => import('@aws-sdk/lib-storage'),
}

/** Files in an S3 bucket, or in that of a service that speaks the same protocol. */
export class S3Store implements FileStore {
  readonly #settings: S3Settings
  #client: Promise<S3Client> | undefined

  constructor(settings: S3Settings) {
    this.#settings = settings
  }

  put(key: string, source: FileSource): Promise<void> {
    assertKey(key)
    return this.#put(key, source)
  }

  async *get(key: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    assertKey(key)
    yield* this.#get(key, range)
  }

  async stat(key: string): Promise<StoredFile | null> {
    assertKey(key)
    try {
      return await this.#ask(async (client, { HeadObjectCommand }) => {
        const found = await client.send(new HeadObjectCommand(this.#at(key)))
        return storedFile(key, found.ContentLength, found.LastModified)
      }, key)
    } catch (error) {
      if (error instanceof FileMissing) return null
      throw error
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredFile> {
    let from: string | undefined
    do {
      const start = from
      const page = await this.#ask((client, { ListObjectsV2Command }) =>
        client.send(
          new ListObjectsV2Command({ Bucket: this.#settings.bucket, Prefix: prefix, ContinuationToken: start }),
        ),
      )
      for (const { Key: key, Size, LastModified } of page.Contents ?? []) {
        if (key !== undefined) yield storedFile(key, Size, LastModified)
      }
      from = page.NextContinuationToken
    } while (from !== undefined)
  }

  remove(key: string): Promise<void> {
    assertKey(key)
    return this.#remove(key)
  }

  /** Throws, with a reason for the operator, unless files can be stored, read and removed. */
  async check(): Promise<void> {
    const key = `doctor/${randomUUID()}`
    const probe = Buffer.from('Can a file be written here?\n')
    await this.#put(key, { chunks: Readable.from([probe]) })
    try {
      const read: Uint8Array[] = []
      for await (const chunk of this.#get(key)) read.push(chunk)
      if (!Buffer.concat(read).equals(probe)) throw new FileStoreFailure('the bucket of files gives other bytes back')
    } finally {
      await this.#remove(key)
    }
  }

  #put(key: string, source: FileSource): Promise<void> {
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

  async *#get(key: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const found = await this.#ask((client, { GetObjectCommand }) => {
      const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }
      return client.send(new GetObjectCommand({ ...this.#at(key), ...part }))
    }, key)
    const { Body: body } = found
    if (!(body instanceof Readable)) throw new Error('the bucket of files gives no stream')
    try {
      yield* body
    } catch (error) {
      throw failure(error, key)
    } finally {
      body.destroy()
    }
  }

  #remove(key: string): Promise<void> {
    return this.#ask(async (client, { DeleteObjectCommand }) => {
      await client.send(new DeleteObjectCommand(this.#at(key)))
    })
  }

  #at(key: string) {
    return { Bucket: this.#settings.bucket, Key: key }
  }

  async #ask<Result>(
    work: (client: S3Client, commands: Awaited<ReturnType<typeof library.client>>) => Promise<Result>,
    key?: string,
  ): Promise<Result> {
    const commands = await library.client()
    this.#client ??= this.#connect()
    const client = await this.#client
    try {
      return await work(client, commands)
    } catch (error) {
      throw failure(error, key)
    }
  }

  async #connect(): Promise<S3Client> {
    const { S3Client } = await library.client()
    const { endpoint, region, credentials } = this.#settings
    return new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
      // Services other than that of Amazon often know neither buckets as host names nor the newer checksums.
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: attempts,
      requestHandler: { connectionTimeout: connectionMilliseconds, socketTimeout: silentMilliseconds },
    })
  }
}

function storedFile(key: string, size: number | undefined, storedAt: Date | undefined): StoredFile {
  if (size === undefined || storedAt === undefined) throw new Error('the bucket of files tells no size or time')
  return { key, size, storedAt }
}

const missing: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound'])

/**
 * What an error of the library means. Its own object is not passed on: it holds the request, with who signed it, and
 * would stand in the log.
 */
function failure(error: unknown, key?: string): unknown {
  const ofSource = sourceError(error)
  if (ofSource !== null) return ofSource.error
  if (!(error instanceof Error) || error instanceof FileStoreFailure) return error
  const { name, message } = error
  if (key !== undefined && missing.has(name)) return new FileMissing(key)
  return new FileStoreFailure(`the bucket of files: ${name === 'Error' ? message : `${name}: ${message}`}`)
}
