import type { IncomingMessage } from 'node:http'
import { limits, malformed, notUtf8, type Refusal } from '../../kernel/index.ts'
import { isUuid, newId } from '../../kernel/schema/index.ts'

/**
 * A header by its lower-case name, undefined where it is absent. One that came more than once is a list with commas,
 * as HTTP has it, also where Node.js would keep the first and say nothing: so no reader takes the first for the only
 * one (contract section 17.32).
 */
export function headerOf({ headers, rawHeaders }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  if (typeof value === 'string' && timesOf(rawHeaders, name) === 1) return value
  return value === undefined ? undefined : rawHeaders.filter((_, at) => isValueOf(rawHeaders, at, name)).join(', ')
}

/** Refuses a request that is for no host, or for two: a proxy in front may have chosen the other one. */
export function refuseHost({ rawHeaders, httpVersion }: IncomingMessage): Refusal | null {
  const hosts = timesOf(rawHeaders, 'host')
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return null
  return malformed([{ path: 'header:Host', rule: 'single', message: 'Send this header once' }])
}

function timesOf(rawHeaders: readonly string[], name: string): number {
  let times = 0
  for (let at = 1; at < rawHeaders.length; at += 2) if (isValueOf(rawHeaders, at, name)) times += 1
  return times
}

/** Names and values take turns. */
function isValueOf(rawHeaders: readonly string[], at: number, name: string): boolean {
  const sent = rawHeaders[at - 1]
  return at % 2 === 1 && sent?.length === name.length && sent.toLowerCase() === name
}

/**
 * The parameters of a query: a text for each, a list for one that comes more than once, and `notUtf8` for one whose
 * percent sequences are no UTF-8. `URLSearchParams` alone would put U+FFFD there, and the search find nothing.
 */
export function parseQueryString(text: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const earlier = query[name]
    if (Array.isArray(earlier)) earlier.push(value)
    else query[name] = earlier === undefined ? value : [earlier, value]
  }
  return text.includes('%') && !isUtf8(text) ? withoutBroken(query, text) : query
}

/** Tells of the broken parts only, under the name as it was sent where that is what is broken. */
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

/** Gate 0: a safe `X-Request-Id` is echoed; the id in envelopes and events is a UUID, the client's if it sent one. */
export function assignRequestId(sent: unknown): { requestId: string; clientRequestId: string | null } {
  if (typeof sent !== 'string' || !safe.test(sent)) return { requestId: newId(), clientRequestId: null }
  const requestId = sent.toLowerCase()
  // Written in capitals it is another text, which is echoed as it came.
  if (isUuid(sent)) return { requestId, clientRequestId: sent === requestId ? null : sent }
  return { requestId: newId(), clientRequestId: sent }
}
