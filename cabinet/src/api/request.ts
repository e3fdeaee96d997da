import { noteBuild } from './build.ts'
import { Failure } from './failure.ts'
import { isSomebodyThere } from './presence.ts'

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  /** Sent as JSON. POST, PUT and PATCH have one also when it is left out; null: the operation takes none. */
  readonly body?: unknown
  /** The idempotency key of a write: a repetition with the same key is executed once. */
  readonly key?: string
  readonly signal?: AbortSignal | undefined
}

/** What an answer carries beside its data. */
export interface Meta {
  readonly requestId?: string
  readonly nextCursor?: string | null
  readonly truncated?: boolean
  readonly [name: string]: unknown
}

export interface Answer<Data> {
  readonly data: Data
  readonly meta: Meta
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Calls a path below `/cabinet/api` and returns the data of the answer. Throws a `Failure`, except when it was aborted. */
export async function request<Data>(method: Method, path: string, options: RequestOptions = {}): Promise<Data> {
  return (await requestAnswer<Data>(method, path, options)).data
}

/** The same with the meta data of the answer. */
export async function requestAnswer<Data>(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<Answer<Data>> {
  const response = await send(method, path, options)
  noteBuild(response.headers.get('X-Crm-Build'))
  const text = await response.text().catch(() => '')
  return readAnswer(text, response.status, response.headers.get('X-Request-Id'))
}

/** Reads the body of an answer. Throws the `Failure` that it tells. */
export function readAnswer<Data>(text: string, status: number, requestId: string | null): Answer<Data> {
  const envelope = parsed<Data>(text)
  if (status >= 200 && status < 300) return { data: envelope.data, meta: envelope.meta ?? {} }
  const { code = 'unexpected_answer', message = `The server answered ${status}`, details = {} } = envelope.error ?? {}
  throw new Failure(code, status, message, details, requestId)
}

async function send(method: Method, path: string, { query, body, key, signal }: RequestOptions): Promise<Response> {
  const hasBody = method !== 'GET' && body !== null && (method !== 'DELETE' || body !== undefined)
  const headers: Record<string, string> = { Accept: 'application/json' }
  if (method !== 'GET') Object.assign(headers, { 'Content-Type': 'application/json', 'X-Crm-Cabinet': '1' })
  else if (!isSomebodyThere()) headers['X-Crm-Unattended'] = '1'
  if (key !== undefined) headers['Idempotency-Key'] = key
  try {
    return await fetch(`/cabinet/api${path}${queryText(query)}`, {
      method,
      headers,
      ...(hasBody ? { body: JSON.stringify(body ?? {}) } : {}),
      ...(signal === undefined ? {} : { signal }),
      redirect: 'error',
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new Failure('unreachable', 0, 'The server did not answer', {}, null)
  }
}

function queryText(query: RequestOptions['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object') for (const each of value) parameters.append(name, each)
    else if (value !== undefined) parameters.append(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

interface Envelope<Data> {
  readonly data: Data
  readonly meta?: Meta
  readonly error?: { readonly code?: string; readonly message?: string; readonly details?: Failure['details'] }
}

/** What the server has answered; an empty envelope if it was something else, a proxy for instance. */
function parsed<Data>(text: string): Envelope<Data> {
  try {
    return JSON.parse(text || '{}')
  } catch {
    return JSON.parse('{}')
  }
}
