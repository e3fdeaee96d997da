import { addressClass } from '../../../kernel/auth/index.ts'
import { type Call, isJsonType, type Refusal, refuse } from '../../../kernel/index.ts'

/** What is looked at to tell whether a request comes from the pages of this server. */
export type Arrived = Pick<Call, 'method' | 'header' | 'isSecure' | 'peer' | 'address'>

const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u
/** The headers with which proxies tell that they pass a request on. */
const forwarding = [
  ...['for', 'host', 'port', 'proto', 'scheme', 'server', 'ssl', 'prefix'].map(part => `x-forwarded-${part}`),
  'x-real-ip',
  'forwarded',
  'via',
]
const reading = new Set(['GET', 'HEAD'])

/**
 * Refuses a request whose `Host` is not one of this server (421), so that a foreign name that leads here cannot read anything; and a write
 * that does not come from its pages (403). A read changes nothing, so it may come from anywhere. `publicBaseUrl` is the address that the
 * operator has given the server; `isForm` is whether the request has to be a form with files.
 */
export function refuseStrangers(call: Arrived, publicBaseUrl: string | undefined, isForm = false): Refusal | null {
  const host = hostOf(call)
  const own = publicBaseUrl === undefined ? null : new URL(publicBaseUrl)
  if (host === null || (!loopbackName.test(host.hostname) && host.hostname !== own?.hostname))
    return refuse('wrong_host')
  if (reading.has(call.method)) return null
  const origins = [host.origin, ...(own === null ? [] : [own.origin])]
  const type = call.header('content-type') ?? ''
  const isTyped = isForm ? /^multipart\/form-data\s*;/iu.test(type) : isJsonType(type)
  const wrong = [
    ...(origins.includes(call.header('origin') ?? '') ? [] : ['Origin']),
    ...(['same-origin', undefined].includes(call.header('sec-fetch-site')) ? [] : ['Sec-Fetch-Site']),
    ...(call.header('x-crm-cabinet') === '1' ? [] : ['X-Crm-Cabinet']),
    ...(isTyped ? [] : ['Content-Type']),
  ]
  return wrong.length === 0 ? null : refuse('wrong_origin', { headers: wrong })
}

/**
 * Whether a browser on this machine asks, with nothing between: over plain http only such a one may sign in. A proxy has an address of its
 * own, asks for another name, or tells that it passes the request on.
 */
export function isLocal(call: Arrived): boolean {
  const { hostname } = hostOf(call) ?? { hostname: '' }
  if (forwarding.some(name => call.header(name) !== undefined)) return false
  return loopbackName.test(hostname) && [call.peer, call.address].every(isLoopback)
}

/** The address that a request was sent to; null for a `Host` that names none. */
function hostOf({ header, isSecure }: Arrived): URL | null {
  const sent = header('host') ?? ''
  const text = `${isSecure ? 'https' : 'http'}://${sent}`
  return /^[\w.:[\]-]+$/u.test(sent) && URL.canParse(text) ? new URL(text) : null
}

function isLoopback(address: string | undefined): boolean {
  return addressClass(address) === 'loopback'
}
