import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { S3Settings } from '../../server/src/kernel/files/index.ts'

/** How a bucket handles a request: it answers, never answers, or stops after half of the bytes. */
type Mood = 'answers' | 'silent' | 'silent in the middle'

/** A bucket on a real socket that can stop responding: it then accepts requests but never answers them. */
export class Bucket {
  mood: Mood = 'answers'
  /** Stops responding at the next read of an object. */
  silentForBytes = false
  /** A promise that it awaits before it stores uploaded bytes. */
  keepsBytesAfter: Promise<unknown> = Promise.resolve()
  /** How many requests it has received. */
  requests = 0
  readonly files = new Map<string, Buffer>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  static async start(): Promise<Bucket> {
    const bucket = new Bucket()
    bucket.#server.listen(0, '127.0.0.1')
    await once(bucket.#server, 'listening')
    return bucket
  }

  get settings(): S3Settings {
    const { port }: AddressInfo = Object(this.#server.address())
    const credentials = { accessKeyId: 'crm-test', secretAccessKey: 'a secret key of the tests' }
    return { bucket: 'files', endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', credentials }
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1
    const { method = '', url = '' } = request
    const key = url.split('?')[0] ?? ''
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    if (this.mood === 'silent' || (this.silentForBytes && method === 'GET')) return
    await once(request, 'end')
    if (method === 'PUT') {
      await this.keepsBytesAfter
      this.files.set(key, Buffer.concat(parts))
    }
    const file = this.files.get(key)
    if (method === 'DELETE') this.files.delete(key)
    if (method !== 'GET' && method !== 'HEAD') return void response.setHeader('ETag', '"x"').end()
    if (file === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'Content-Length': file.length, 'Last-Modified': new Date().toUTCString() })
    if (method === 'HEAD') return void response.end()
    if (this.mood === 'silent in the middle') return void response.write(file.subarray(0, file.length / 2))
    response.end(file)
  }
}
