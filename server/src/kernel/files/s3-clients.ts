import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { bounds } from '../limits/index.ts'

/** The bucket of files, and the credentials for it. */
export interface S3Settings {
  readonly bucket: string
  /** Undefined: Amazon's endpoint for the region. */
  readonly endpoint: string | undefined
  /** Undefined: the region of the machine. */
  readonly region: string | undefined
  /** Undefined: the credentials of the machine, such as the role of an instance. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

const connectionMilliseconds = 5000
const attempts = 2

/** The library must not write to the log, whose lines have one format; the caller that requested the file reports errors. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

interface Timeouts {
  readonly socketTimeout: number
  readonly requestTimeout?: number
  readonly throwOnRequestTimeout?: boolean
}

/** The library is large and optional. It is loaded when the first file is requested. */
const library = () => import('@aws-sdk/client-s3')

/** The clients for the bucket of an installation. Both give up on a bucket that accepts a request and does not answer. */
export class S3Clients {
  readonly #settings: S3Settings
  #usual: Promise<S3Client> | undefined
  #ofBytes: Promise<S3Client> | undefined

  constructor(settings: S3Settings) {
    this.#settings = settings
  }

  /** For everything but the bytes of files: times out when a connection is silent for longer than `bounds.bucketSilence`. */
  usual(): Promise<S3Client> {
    this.#usual ??= this.#connect({ socketTimeout: bounds.bucketSilence.most })
    return this.#usual
  }

  /**
   * For the bytes of files: only the head of an answer must arrive in that time. The connection is silent while its reader pauses, so the
   * reader of the bytes applies the timeout.
   */
  ofBytes(): Promise<S3Client> {
    const timeouts = { requestTimeout: bounds.bucketSilence.most, throwOnRequestTimeout: true, socketTimeout: 0 }
    this.#ofBytes ??= this.#connect(timeouts)
    return this.#ofBytes
  }

  async #connect(timeouts: Timeouts): Promise<S3Client> {
    const { S3Client } = await library()
    const { endpoint, region, credentials } = this.#settings
    // Slow readers must not take all connections; the number of requests is bounded elsewhere.
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
      // Services other than Amazon's often support neither buckets as host names nor the newer checksums.
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: attempts,
      logger: silent,
      requestHandler,
    })
  }
}
