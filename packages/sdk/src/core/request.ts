import { isObject } from './json.ts'
import { assertIdempotencyKey, newIdempotencyKey } from './keys.ts'
import type { CallArguments, Operation } from './operation.ts'
import type { WriteOptions } from './options.ts'

/** A request as it is sent: the same bytes and the same key with each attempt. */
export interface PreparedRequest {
  readonly operation: Operation
  readonly url: string
  readonly headers: Headers
  readonly body: string | FormData | undefined
  readonly idempotencyKey: string | null
}

/** Throws TypeError for arguments that cannot be sent. `fixed` are the headers of every request. */
export function prepare(
  base: string,
  fixed: Readonly<Record<string, string>>,
  operation: Operation,
  { path = [], query, body }: CallArguments,
  options: WriteOptions,
): PreparedRequest {
  const key = operation.keyed ? (options.idempotencyKey ?? newIdempotencyKey()) : null
  if (key !== null) assertIdempotencyKey(key)
  const headers = new Headers(options.headers)
  for (const [name, value] of Object.entries(fixed)) headers.set(name, value)
  if (key !== null) headers.set('idempotency-key', key)
  // `fetch` itself sets the type of a form, because it chooses the boundary.
  if (operation.body === 'json' && body !== undefined) headers.set('content-type', 'application/json')
  else headers.delete('content-type')
  return {
    operation,
    url: base + pathOf(operation, path) + queryOf(operation, query),
    headers,
    body: bodyOf(operation, body),
    idempotencyKey: key,
  }
}

function pathOf({ id, path }: Operation, parameters: readonly unknown[]): string {
  let index = 0
  return path.replace(/\{(\w+)\}/gu, (_, name: string) => {
    const value = parameters[index++]
    // An empty text would call the list, and dots would be taken for a folder above.
    if (typeof value !== 'string' || /^\.{0,2}$/u.test(value))
      throw new TypeError(`${id} needs ${name}: a text that is neither empty nor "." nor ".."`)
    return encodeURIComponent(value)
  })
}

function queryOf({ joined = [] }: Operation, query: object = {}): string {
  const sent = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value) && joined.includes(name)) sent.append(name, value.join(','))
    else if (Array.isArray(value)) for (const element of orEmpty(value)) sent.append(name, String(element))
    else if (isObject(value))
      for (const [member, one] of Object.entries(value)) sent.append(`${name}.${member}`, String(one))
    else if (value !== undefined) sent.append(name, String(value))
  }
  const text = sent.toString()
  return text && `?${text}`
}

/** The API refuses an empty element. Without any, a filter by an empty list would be no filter, and find everything. */
function orEmpty(list: readonly unknown[]): readonly unknown[] {
  return list.length === 0 ? [''] : list
}

function bodyOf({ id, body: form }: Operation, body: unknown): string | FormData | undefined {
  if (form === undefined || body === undefined) return undefined
  if (form === 'json') return JSON.stringify(body)
  if (body instanceof FormData) return body
  throw new TypeError(`${id} takes a FormData`)
}
