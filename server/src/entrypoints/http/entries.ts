import {
  addressBucket,
  type Call,
  type Caller,
  type Conventions,
  crmConventions,
  deprecationHeaders,
  type Entry,
  externalConventions,
  failedAuthenticationLimit,
  type Operation,
  type Refusal,
  rateWindowSeconds,
  refuse,
  type Services,
} from '../../kernel/index.ts'
import { pagesPrefix } from './cabinet/page-headers.ts'

/** A part of the HTTP API. Requests below its prefix that match no operation are answered in its format too. */
export interface HttpEntry extends Entry<Call> {
  readonly conventions: Conventions
  /** Path parameters that belong to the entry. The operation does not see them. */
  readonly parameters: readonly string[]
  /** The pattern of the path at which it offers the operation. */
  pathOf(operation: Operation): string
}

const api = {
  parameters: [],
  pathOf: ({ path }: Operation) => path,
  authenticate,
  rateBucket: ({ method }: Operation) => (method === 'GET' ? 'read' : 'write'),
  headers: ({ deprecation }: Operation) => (deprecation === undefined ? {} : deprecationHeaders(deprecation)),
} as const

const crm: HttpEntry = { ...api, prefix: '/api/v1/crm', conventions: crmConventions }
const others: readonly HttpEntry[] = [
  { ...api, prefix: '/api/v1/external', conventions: externalConventions },
  { ...api, prefix: '/api/v1/ai-agents/external', conventions: externalConventions },
]

/** Where the cabinet serves the operations. */
export const cabinetPrefix = '/cabinet/api/o'

/** The entry whose prefix the path has; the entry of the CRM for all other paths. */
export function entryAt(path: string): HttpEntry {
  return others.find(({ prefix }) => isBelow(path, prefix)) ?? crm
}

/** The part of the server that a path belongs to, by which refusals without a route are counted, and in whose form they are. */
export function partAt(path: string): Pick<HttpEntry, 'prefix' | 'conventions'> {
  return isOfCabinet(path) ? { prefix: pagesPrefix, conventions: crmConventions } : entryAt(path)
}

/** Whether a path is the cabinet's: one of its pages, or what they call. */
export function isOfCabinet(path: string): boolean {
  return isBelow(path, pagesPrefix)
}

function isBelow(path: string, prefix: string): boolean {
  const [address = ''] = path.split('?')
  return address === prefix || address.startsWith(`${prefix}/`)
}

/** Gate 2. All failures look the same. An address above the limit of failures gets 429 for them, while its valid tokens still work. */
async function authenticate(call: Pick<Call, 'header' | 'address'>, services: Services): Promise<Caller | Refusal> {
  const caller = await services.authentication.authenticate(tokenOf(call), call.address)
  return caller ?? refuseToken(call, services)
}

/** Refuses a call without a token that the operator created for `/metrics`; null for a call with one. */
export async function authenticateForMetrics(
  call: Pick<Call, 'header' | 'address'>,
  services: Services,
): Promise<Refusal | null> {
  const mayRead = await services.authentication.mayReadMetrics(tokenOf(call), call.address)
  return mayRead ? null : refuseToken(call, services)
}

async function refuseToken(call: Pick<Call, 'address'>, services: Services): Promise<Refusal> {
  const failures = await services.counters.add(`failed:${addressBucket(call.address)}`)
  if (failures === null || failures <= failedAuthenticationLimit) return refuse('invalid_token')
  const details = {
    bucket: 'failed_authentication',
    limit: failedAuthenticationLimit,
    windowSeconds: rateWindowSeconds,
  }
  return refuse('rate_limit_exceeded', { ...details, retryAfterSeconds: services.counters.secondsLeft() })
}

function tokenOf(call: Pick<Call, 'header'>): string | null {
  const bearer = /^Bearer +(\S+)$/iu.exec(call.header('authorization') ?? '')?.[1] ?? null
  const direct = call.header('x-api-token') ?? null
  if (call.header('authorization') !== undefined && bearer === null) return null
  return bearer !== null && direct !== null && bearer !== direct ? null : (bearer ?? direct)
}
