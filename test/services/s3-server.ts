import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { S3Settings } from '../../server/src/kernel/files/index.ts'
import { freePorts } from '../support/free-ports.ts'
import { until } from '../support/waiting.ts'

const credentials = { accessKeyId: 'crm-test', secretAccessKey: 'a secret key of the tests' }
const identities = [
  {
    name: 'crm',
    credentials: [{ accessKey: credentials.accessKeyId, secretKey: credentials.secretAccessKey }],
    actions: ['Admin', 'Read', 'Write', 'List'],
  },
]

/**
 * A SeaweedFS of the test's own, with one bucket: a real store that checks signatures. It stays on its ports when it is
 * started again.
 */
export class S3Server {
  readonly settings: S3Settings
  readonly #words: readonly string[]
  readonly #folder: string
  #process: ChildProcess | undefined

  private constructor(endpoint: string, words: readonly string[], folder: string) {
    this.settings = { bucket: 'files', endpoint, region: 'us-east-1', credentials }
    this.#words = words
    this.#folder = folder
  }

  static async start(): Promise<S3Server> {
    const folder = await mkdtemp(join(tmpdir(), 'crm-s3-'))
    await writeFile(join(folder, 'identities.json'), JSON.stringify({ identities }))
    await mkdir(join(folder, 'data'))
    const services = ['master', 'volume', 'filer', 's3']
    const names = services.flatMap(service => [`${service}.port`, `${service}.port.grpc`])
    const free = await freePorts(names.length)
    const ports = names.map((name, index) => `-${name}=${free[index]}`)
    const endpoint = `http://127.0.0.1:${free[names.indexOf('s3.port')]}`
    const places = [`-dir=${join(folder, 'data')}`, `-s3.config=${join(folder, 'identities.json')}`]
    const only = ['-ip=127.0.0.1', '-ip.bind=127.0.0.1', '-s3.port.iceberg=0', '-s3.port.lance=0']
    const small = ['-volume.max=20', '-master.volumeSizeLimitMB=64']
    const server = new S3Server(endpoint, ['server', '-filer', '-s3', ...ports, ...places, ...only, ...small], folder)
    await server.start()
    return server
  }

  /** Starts it, with what it had, and waits until the bucket can be used. */
  async start(): Promise<void> {
    const started = spawn('weed', this.#words, { stdio: 'ignore' })
    await once(started, 'spawn')
    this.#process = started
    const { bucket: Bucket, endpoint = '', region } = this.settings
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 })
    const wanted = ['BucketAlreadyExists', 'BucketAlreadyOwnedByYou']
    await until('the store to answer', () => {
      if (started.exitCode !== null) throw new Error('the store ended')
      return client.send(new CreateBucketCommand({ Bucket })).then(
        () => true,
        error => wanted.includes(error.name),
      )
    })
    client.destroy()
  }

  /** Ends it at once, as a crash would. */
  async stop(): Promise<void> {
    const ending = this.#process
    this.#process = undefined
    if (ending === undefined) return
    const ended = once(ending, 'exit')
    ending.kill('SIGKILL')
    await ended
  }

  async remove(): Promise<void> {
    await this.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
