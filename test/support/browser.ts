import { request } from 'node:http'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from './client.ts'

/** An answer of the cabinet. */
export interface CabinetAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The whole body, as it was sent. */
  readonly text: string
  readonly data: JsonObject
  readonly items: readonly JsonObject[]
  readonly error: JsonObject
  readonly details: JsonObject
}

/** A request of a page: headers that are undefined are left out. */
export interface PageRequest {
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Sent verbatim, not as JSON. */
  readonly raw?: string
  /** Awaited when half of the body was sent. */
  readonly halfway?: () => Promise<void>
}

/** Calls the cabinet as its pages do, with a jar of cookies. */
export class Browser {
  readonly #url: URL
  /** Sent with each request. */
  readonly cookies = new Map<string, string>()
  /** What is sent with each request, beside what its method needs. */
  readonly headers: Record<string, string | undefined>

  constructor({ url }: { readonly url: string }, headers: Record<string, string | undefined> = {}) {
    this.#url = new URL(url)
    this.headers = headers
  }

  get(path: string, options?: PageRequest): Promise<CabinetAnswer> {
    return this.call('GET', path, undefined, options)
  }

  post(path: string, body: unknown = {}, options?: PageRequest): Promise<CabinetAnswer> {
    return this.call('POST', path, body, options)
  }

  patch(path: string, body: unknown = {}, options?: PageRequest): Promise<CabinetAnswer> {
    return this.call('PATCH', path, body, options)
  }

  delete(path: string, options?: PageRequest): Promise<CabinetAnswer> {
    return this.call('DELETE', path, undefined, options)
  }

  /** Signs in, and keeps the cookies of the answer. */
  signIn(email: string, password: string, code?: string): Promise<CabinetAnswer> {
    return this.post('/session', { email, password, ...(code === undefined ? {} : { code }) })
  }

  /** `path` is relative to `/cabinet/api`, unless it begins with `/cabinet` or `/api`. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, raw, halfway }: PageRequest = {},
  ): Promise<CabinetAnswer> {
    const isWhole = /^\/(?:cabinet|api|livez)/u.test(path)
    const url = new URL(isWhole ? path : `/cabinet/api${path}`, this.#url)
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = Object.entries({
      ...(method === 'GET' ? {} : this.#writing()),
      ...(cookie === '' ? {} : { cookie }),
      ...this.headers,
      ...headers,
    }).filter((each): each is [string, string] => each[1] !== undefined)
    const answer = await exchange(url, method, Object.fromEntries(sent), text, halfway)
    this.#keep(answer.headers['set-cookie'] ?? [])
    return answer
  }

  #writing(): Record<string, string> {
    return {
      origin: this.#url.origin,
      'content-type': 'application/json',
      'x-crm-cabinet': '1',
      'sec-fetch-site': 'same-origin',
    }
  }

  #keep(given: string | readonly string[]): void {
    for (const line of [given].flat()) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = pair.split('=')
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

function exchange(
  url: URL,
  method: string,
  headers: Record<string, string>,
  text = '',
  halfway?: () => Promise<void>,
): Promise<CabinetAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent: false }, answer => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => resolve(toAnswer(answer.statusCode ?? 0, answer.headers, Buffer.concat(parts).toString())))
    })
    call.on('error', reject)
    if (halfway === undefined) return void call.end(text === '' ? undefined : text)
    const half = Math.ceil(text.length / 2)
    call.write(text.slice(0, half))
    halfway().then(() => call.end(text.slice(half)), reject)
  })
}

function toAnswer(status: number, headers: CabinetAnswer['headers'], text: string): CabinetAnswer {
  const isJson = String(headers['content-type']).startsWith('application/json')
  const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : {}
  const { data, error } = objectOf(parsed)
  return {
    status,
    headers,
    text,
    data: objectOf(data),
    items: Array.isArray(data) ? data.filter(isObject) : [],
    error: objectOf(error),
    details: objectOf(objectOf(error).details),
  }
}
