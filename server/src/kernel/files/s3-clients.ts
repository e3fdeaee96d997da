import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { bounds } from '../limits/index.ts'

/** The bucket of files, and who may use it. */
export interface S3Settings {
  readonly bucket: string
  /** Undefined: that of Amazon, by region. */
  readonly endpoint: string | undefined
  /** Undefined: that of the machine. */
  readonly region: string | undefined
  /** Undefined: those that the machine has, such as the role of an instance. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

const connectionMilliseconds = 5000
const attempts = 2

/** The log has lines of one form; the caller that asked for the file says what goes wrong. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

interface Timeouts {
  readonly socketTimeout: number
  readonly requestTimeout?: number
  readonly throwOnRequestTimeout?: boolean
}

/** The library is large, and installed only where it can be. It is loaded when the first file is asked for. */
const library = () => import('@aws-sdk/client-s3')

/** The clients for the bucket of an installation. A bucket that accepts a request and says nothing is given up by both. */
export class S3Clients {
  readonly #settings: S3Settings
  #usual: Promise<S3Client> | undefined
  #ofBytes: Promise<S3Client> | undefined

  constructor(settings: S3Settings) {
    this.#settings = settings
  }

  /** For all but the bytes of files: nothing may be silent on a connection for longer than `bounds.bucketSilence`. */
  usual(): Promise<S3Client> {
    this.#usual ??= this.#connect({ socketTimeout: bounds.bucketSilence.most })
    return this.#usual
  }

  /**
   * For the bytes of files: the head of an answer has to come in that time. Its connection is silent for as long as its reader
   * rests, so the reader of the bytes watches over them.
   */
  ofBytes(): Promise<S3Client> {
    const timeouts = { requestTimeout: bounds.bucketSilence.most, throwOnRequestTimeout: true, socketTimeout: 0 }
    this.#ofBytes ??= this.#connect(timeouts)
    return this.#ofBytes
  }

  async #connect(timeouts: Timeouts): Promise<S3Client> {
    const { S3Client } = await library()
    const { endpoint, region, credentials } = this.#settings
    // Slow readers must not take all connections: how many requests there are is bounded elsewhere.
    const agent = { maxSockets: bounds.processRequests.most }
    const requestHandler: S3ClientConfig['requestHandler'] = {
      connectionTimeout: connectionMilliseconds,
      httpAgent: agent,
      httpsAgent: agent,
      ...timeouts,
    }
    return new S3Client({
      ...(region === undefined ? {} : { region }),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
      // Services other than that of Amazon often know neither buckets as host names nor the newer checksums.
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: attempts,
      logger: silent,
      requestHandler,
    })
  }
}
