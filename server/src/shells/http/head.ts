import type { IncomingMessage } from 'node:http'
import { malformed, type Refusal } from '../../kernel/index.ts'

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
