import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { expectDocumentedErrors, expectListedFailure } from './documented-errors.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: JsonObject
  /** `data` of a success, as an object; empty when it is none. */
  readonly data: JsonObject
  /** `data` of a list or batch. */
  readonly items: readonly JsonObject[]
  readonly meta: JsonObject
  readonly error: JsonObject
  readonly details: JsonObject
}

export interface CallOptions {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent verbatim, not as JSON. */
  readonly raw?: string | Uint8Array
}

/**
 * Calls the API as an integration does; every failure must be documented. Each call has a new `Idempotency-Key` by default; `path` is
 * relative to the CRM prefix.
 */
export class Client {
  readonly #url: string
  readonly token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.token = token
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, undefined, options)
  }

  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('POST', path, body, options)
  }

  patch(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('PATCH', path, body, options)
  }

  put(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('PUT', path, body, options)
  }

  delete(path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    return this.call('DELETE', path, body, options)
  }

  async call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const headers = new Headers({ authorization: `Bearer ${this.token}` })
    if (method !== 'GET' && method !== 'HEAD' && options.key !== null)
      headers.set('idempotency-key', options.key ?? randomUUID())
    const content = options.raw ?? (body === undefined ? undefined : JSON.stringify(body))
    if (content !== undefined) headers.set('content-type', 'application/json')
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
    const isWhole = path.startsWith('/api/') || path.startsWith('/cabinet/') || path === '/'
    const url = isWhole ? `${this.#url}${path}` : `${this.#url}/api/v1/crm${path}`
    const answer = toAnswer(await exchange(method, new URL(url), headers, content))
    expectListedFailure(method, new URL(url).pathname, answer.status, answer.error)
    return answer
  }
}

interface Exchanged {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

// Connections are used in turn, so none is idle for so long that a server that shuts down closes it.
const agent = new Agent({ keepAlive: true, scheduling: 'fifo' })

/** Does the same as `fetch` at half the cost: tests make some ten thousand requests. */
function exchange(method: string, url: URL, headers: Headers, content: CallOptions['raw']): Promise<Exchanged> {
  if (content !== undefined) headers.set('content-length', String(Buffer.byteLength(content)))
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers: Object.fromEntries(headers), agent }, answer => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => {
        const told = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        )
        resolve({ status: answer.statusCode ?? 0, headers: new Headers(told), text: Buffer.concat(parts).toString() })
      })
    })
    call.on('error', reject)
    call.end(content)
  })
}

function toAnswer({ status, headers, text }: Exchanged): Answer {
  const parsed: unknown = text === '' ? {} : JSON.parse(text)
  const body = objectOf(parsed)
  expectDocumentedErrors(body)
  const error = objectOf(body.error)
  return {
    status,
    headers,
    body,
    data: objectOf(body.data),
    items: Array.isArray(body.data) ? body.data.filter(isObject) : [],
    meta: objectOf(body.meta),
    error,
    details: objectOf(error.details),
  }
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
