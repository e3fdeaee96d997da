import type { IncomingMessage } from 'node:http'
import { limits, malformed, notUtf8, type Refusal } from '../../kernel/index.ts'
import { isUuid, newId } from '../../kernel/schema/index.ts'

/**
 * A header by its lower-case name; undefined if it is absent. The values of a repeated header are joined with commas, as HTTP defines.
 * Node.js would silently keep only the first value of some headers, and a reader could take it for the only one (contract section 17.32).
 */
export function headerOf({ headers, rawHeaders }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  if (value === undefined) return undefined
  const sent = valuesOf(rawHeaders, name)
  return typeof value === 'string' && sent.length === 1 ? value : sent.join(', ')
}

/** Refuses a request with no Host header or with two, because a proxy in front may have used the other one. */
export function refuseHost({ rawHeaders, httpVersion }: IncomingMessage): Refusal | null {
  const hosts = valuesOf(rawHeaders, 'host').length
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return null
  return malformed([{ path: 'header:Host', rule: 'single', message: 'Send this header once' }])
}

/** The values of a header, as they were sent. Names and values alternate in `rawHeaders`. */
function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [sent = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]]
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(value)
  }
  return values
}

/**
 * The parameters of a query: a text for each, a list if it comes more than once, and `notUtf8` if its percent sequences
 * are not UTF-8. `URLSearchParams` alone would silently use U+FFFD, and a search would find nothing.
 */
export function parseQueryString(text: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null)
  if (text === '') return query
  for (const [name, value] of new URLSearchParams(text)) {
    const earlier = query[name]
    if (Array.isArray(earlier)) earlier.push(value)
    else query[name] = earlier === undefined ? value : [earlier, value]
  }
  return text.includes('%') && !isUtf8(text) ? withoutBroken(query, text) : query
}

/**
 * Marks the parameters that are not UTF-8. A parameter whose name is broken is listed under the name as it was sent.
 */
function withoutBroken(query: Record<string, unknown>, text: string): Record<string, unknown> {
  for (const part of text.split('&')) {
    if (isUtf8(part)) continue
    const [sent = ''] = part.split('=', 1)
    const [[name = ''] = []] = new URLSearchParams(part)
    delete query[name]
    query[isUtf8(sent) ? name : sent] = notUtf8
  }
  return query
}

function isUtf8(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const safe = new RegExp(`^[A-Za-z0-9._:/@+=~-]{1,${limits.requestIdLength}}$`, 'u')

/**
 * Gate 0: assigns the request id. Envelopes and events have a UUID: the client's, if it sent one. Any other safe `X-Request-Id` is only
 * echoed.
 */
export function assignRequestId(sent: unknown): { requestId: string; clientRequestId: string | null } {
  if (typeof sent !== 'string' || !safe.test(sent)) return { requestId: newId(), clientRequestId: null }
  const requestId = sent.toLowerCase()
  // A UUID in capitals is a different text, so it is echoed unchanged.
  if (isUuid(sent)) return { requestId, clientRequestId: sent === requestId ? null : sent }
  return { requestId: newId(), clientRequestId: sent }
}
