import type { Agent } from 'undici'
import { AddressList } from '../auth/index.ts'
import { type Bounds, kibibyte } from '../limits/index.ts'
import { readCut } from './answer-body.ts'
import {
  type AddressLookup,
  checkedLookup,
  checkHeaders,
  checkUrl,
  ForbiddenDestination,
  lookupOfSystem,
} from './checked-destination.ts'

/** The bounds of modules that make such calls. */
export const outboundBounds = {
  outboundCall: {
    most: 30_000,
    unit: 'milliseconds',
    of: 'time that one call of an API integration takes, until its whole answer has come',
    beyond: 'the call fails',
  },
  outboundAnswer: {
    most: 256 * kibibyte,
    unit: 'bytes',
    of: 'the answer to one call of an API integration, as it comes and unpacked',
    beyond: 'the rest is not read',
  },
} as const satisfies Bounds

/** One call of an address that a client chose. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: URL
  /** Without `Host` and the headers that describe the connection. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** The time for the complete answer; at most 30. */
  readonly timeoutSeconds: number
}

/** The answer, whatever its status. Redirects are answers too: they are not followed. */
export interface OutboundAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Decompressed, at most 256 KiB. */
  readonly body: Buffer
  /** Whether the body was longer. */
  readonly isCut: boolean
  readonly milliseconds: number
}

/** Why there is no answer. The message is for the author of the URL, and quotes only the host of the request. */
export class OutboundFailure {
  readonly reason: 'forbidden' | 'timeout' | 'unreachable'
  readonly message: string

  constructor(reason: OutboundFailure['reason'], message: string) {
    this.reason = reason
    this.message = message
  }
}

/** Where calls may go. */
export interface OutboundOptions {
  /** Networks that may be called although they are not public, also over http. */
  readonly allowedNetworks: readonly string[]
  readonly lookup?: AddressLookup | undefined
  /** CA certificates in PEM, trusted instead of the usual ones. */
  readonly authorities?: string | undefined
}

/**
 * The only way in which the server calls an address that a client chose: a public address, unless the operator has allowed more, over TLS,
 * within a time and a size. See "API integrations" in contract section 13.2.
 */
export class Outbound {
  readonly #allowed: AddressList
  readonly #lookup: AddressLookup
  readonly #authorities: string | undefined

  constructor({ allowedNetworks, lookup = lookupOfSystem, authorities }: OutboundOptions) {
    this.#allowed = new AddressList(allowedNetworks)
    this.#lookup = lookup
    this.#authorities = authorities
  }

  /** Why a URL is never called, as far as it can be told without a look-up of its host; null if it may be. */
  whyForbidden(url: URL): string | null {
    try {
      checkUrl(url, this.#allowed)
      return null
    } catch (error) {
      if (error instanceof ForbiddenDestination) return error.message
      throw error
    }
  }

  /** Makes the call and reads the answer. A failure is a result too. */
  async call(wanted: OutboundRequest): Promise<OutboundAnswer | OutboundFailure> {
    const most = Math.min(wanted.timeoutSeconds * 1000, outboundBounds.outboundCall.most)
    const limit = new TimeLimit(most)
    const { signal } = limit
    // A connection of its own: connections that were opened and checked for another call are not reused.
    const agent = await this.#agentFor(wanted.url, most)
    try {
      checkUrl(wanted.url, this.#allowed)
      checkHeaders(wanted.headers)
      return await Promise.race([callOnce(agent, wanted, signal), endOfCall(signal)])
    } catch (error) {
      if (error instanceof ForbiddenDestination) return new OutboundFailure('forbidden', error.message)
      if (signal.aborted) return new OutboundFailure('timeout', `no whole answer within ${most / 1000} s`)
      return new OutboundFailure('unreachable', error instanceof Error ? reasonOfFailure(error) : String(error))
    } finally {
      limit.end()
      // A lookup may last longer than the call; nobody waits for its end, and it opens no connection.
      agent.destroy().catch(() => {})
    }
  }

  async #agentFor(url: URL, timeout: number): Promise<Agent> {
    // Loaded by the first call: it is a sixth of the code that a command loads, and few commands make calls.
    const { Agent } = await import('undici')
    return new Agent({
      pipelining: 0,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connectionOptions(url, this.#allowed, { lookup: this.#lookup, authorities: this.#authorities }, timeout),
    })
  }
}

/** How a connection is opened: to addresses that were checked, over TLS that is checked. */
export function connectionOptions(
  url: URL,
  allowed: AddressList,
  { lookup = lookupOfSystem, authorities }: Pick<OutboundOptions, 'lookup' | 'authorities'>,
  timeout: number,
) {
  return {
    lookup: checkedLookup(url, allowed, lookup),
    autoSelectFamily: true,
    // Explicit, because an environment variable could turn it off.
    rejectUnauthorized: true,
    timeout,
    ...(authorities === undefined ? {} : { ca: authorities }),
  }
}

/** The time that a call may take. The signal of `AbortSignal.timeout` would keep the call in memory until then, also when it has ended. */
export class TimeLimit {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout

  constructor(milliseconds: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), milliseconds).unref()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The call has ended. */
  end(): void {
    clearTimeout(this.#timer)
  }
}

/** undici ignores the signal of a request until the connection is open. */
export function endOfCall(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the time is over')), { once: true })
  })
}

async function callOnce(dispatcher: Agent, wanted: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
  const begun = performance.now()
  const { method, url, body } = wanted
  const headers = { 'user-agent': 'crm-server', 'accept-encoding': 'identity', ...wanted.headers }
  const { request } = await import('undici')
  const answer = await request(url, { dispatcher, method, headers, body, signal })
  const encoding = joinedHeader(answer.headers['content-encoding']) ?? ''
  const { bytes, isCut } = await readCut(answer.body, encoding, outboundBounds.outboundAnswer.most)
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, joinedHeader(value) ?? '']),
    ),
    body: bytes,
    isCut,
    milliseconds: Math.round(performance.now() - begun),
  }
}

/** A header that came several times, as one text. */
export function joinedHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

/** A host with several addresses fails with one error per address and an empty message. */
export function reasonOfFailure(error: Error): string {
  return error instanceof AggregateError && error.message === '' ? error.errors.map(String).join('; ') : error.message
}
