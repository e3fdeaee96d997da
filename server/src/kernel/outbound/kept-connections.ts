import type { Client } from 'undici'
import { AddressList } from '../auth/index.ts'
import { readCut } from './answer-body.ts'
import { checkHeaders, checkUrl, ForbiddenDestination, lookupOfSystem } from './checked-destination.ts'
import { limitedLookup } from './limited-lookup.ts'
import {
  connectionOptions,
  endOfCall,
  joinedHeader,
  OutboundFailure,
  type OutboundOptions,
  reasonOfFailure,
  TimeLimit,
} from './outbound.ts'

/** A call over a connection that may be kept. */
export interface KeptCall {
  /** Connections are shared by the calls of one owner: an organization. */
  readonly owner: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An answer whose status has come. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of its body; empty if it was given up. */
  readonly body: Buffer
  readonly milliseconds: number
}

export interface KeptBounds {
  /** The most open connections, and the most of one owner; calls that are under way are not interrupted for them. */
  readonly connections: number
  readonly perOwner: number
  /** The time for one call, and for the rest of its answer. */
  readonly callMilliseconds: number
  /** How much of an answer is read. The connection of a longer one is closed. */
  readonly answerBytes: number
  /** The most names that are looked up at a time. */
  readonly lookups: number
}

interface Connection {
  readonly client: Client
  readonly owner: string
  readonly destination: string
  readonly openedAt: number
}

const idleMilliseconds = 30_000
const ageMilliseconds = 300_000

/**
 * Posts to addresses that clients chose, as `Outbound` does, but keeps connections for the next call: an encrypted one costs fifty times as
 * much as a call over it. Each new connection is checked, and none is used for longer than five minutes, so that a change of the name of the
 * receiver takes effect. A connection serves one call at a time.
 */
export class KeptConnections {
  readonly #options: OutboundOptions
  readonly #bounds: KeptBounds
  readonly #allowed: AddressList
  /** Idle connections, the one that was idle for longest first. */
  readonly #idle = new Set<Connection>()
  readonly #busy = new Set<Connection>()
  #isClosed = false

  constructor(options: OutboundOptions, bounds: KeptBounds) {
    this.#options = { ...options, lookup: limitedLookup(options.lookup ?? lookupOfSystem, bounds.lookups) }
    this.#bounds = bounds
    this.#allowed = new AddressList(options.allowedNetworks)
  }

  /** Posts, and resolves when the status of the answer has come and its body is read or given up. A failure is a result too. */
  async post(call: KeptCall): Promise<KeptAnswer | OutboundFailure> {
    const { callMilliseconds } = this.#bounds
    const limit = new TimeLimit(callMilliseconds)
    const { signal } = limit
    try {
      if (this.#isClosed) throw new Error('connections are closed')
      checkUrl(call.url, this.#allowed)
      checkHeaders(call.headers)
      const kept = this.#takeIdle(call)
      if (kept !== null) {
        const answer = await this.#postOver(kept, call, signal).catch(error => {
          // A receiver may close a kept connection at the moment in which it is used.
          if (signal.aborted || this.#isClosed || error instanceof ForbiddenDestination) throw error
          return null
        })
        if (answer !== null) return answer
      }
      return await this.#postOver(await this.#open(call), call, signal)
    } catch (error) {
      if (error instanceof ForbiddenDestination) return new OutboundFailure('forbidden', error.message)
      if (signal.aborted) return new OutboundFailure('timeout', `no answer within ${callMilliseconds / 1000} s`)
      return new OutboundFailure('unreachable', error instanceof Error ? reasonOfFailure(error) : String(error))
    } finally {
      limit.end()
    }
  }

  /** The number of open connections. */
  get size(): number {
    return this.#idle.size + this.#busy.size
  }

  /** Closes all connections; calls under way fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#idle, ...this.#busy]
    this.#idle.clear()
    this.#busy.clear()
    await Promise.all(all.map(({ client }) => client.destroy()))
  }

  async #postOver(connection: Connection, call: KeptCall, signal: AbortSignal): Promise<KeptAnswer> {
    const begun = performance.now()
    const { url, headers, body } = call
    let isWhole = false
    try {
      const asked = connection.client.request({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: { 'user-agent': 'crm-server', 'accept-encoding': 'identity', ...headers },
        body,
        signal,
      })
      const answer = await Promise.race([asked, endOfCall(signal)])
      const milliseconds = Math.round(performance.now() - begun)
      // The status decides; what becomes of the body changes nothing.
      const rest = Promise.race([readCut(answer.body, '', this.#bounds.answerBytes), endOfCall(signal)])
      const { bytes, isCut } = await rest.catch(() => ({ bytes: Buffer.alloc(0), isCut: true }))
      isWhole = !isCut
      const told = Object.entries(answer.headers).map(([name, value]) => [name, joinedHeader(value) ?? ''])
      return { status: answer.statusCode, headers: Object.fromEntries(told), body: bytes, milliseconds }
    } finally {
      this.#giveBack(connection, isWhole)
    }
  }

  #takeIdle({ owner, url }: KeptCall): Connection | null {
    // The one that was used last: the others grow old and are closed.
    for (const connection of [...this.#idle].reverse()) {
      if (connection.owner !== owner || connection.destination !== url.origin) continue
      this.#idle.delete(connection)
      if (performance.now() - connection.openedAt < ageMilliseconds) {
        this.#busy.add(connection)
        return connection
      }
      destroy(connection)
    }
    return null
  }

  async #open({ owner, url }: KeptCall): Promise<Connection> {
    // Loaded by the first call, as in `Outbound`.
    const { Client } = await import('undici')
    const client = new Client(url.origin, {
      pipelining: 1,
      keepAliveTimeout: idleMilliseconds,
      keepAliveMaxTimeout: idleMilliseconds,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connectionOptions(url, this.#allowed, this.#options, this.#bounds.callMilliseconds),
    })
    const connection = { client, owner, destination: url.origin, openedAt: performance.now() }
    this.#makeRoom(owner)
    this.#busy.add(connection)
    return connection
  }

  /** Closes idle connections until one more can be opened. */
  #makeRoom(owner: string): void {
    const { connections, perOwner } = this.#bounds
    let ofOwner = [...this.#idle, ...this.#busy].filter(connection => connection.owner === owner).length
    for (const connection of this.#idle) {
      const isTooMany = this.size >= connections || (connection.owner === owner && ofOwner >= perOwner)
      if (!isTooMany) continue
      this.#idle.delete(connection)
      if (connection.owner === owner) ofOwner -= 1
      destroy(connection)
    }
  }

  #giveBack(connection: Connection, isWhole: boolean): void {
    // It was closed meanwhile.
    if (!this.#busy.delete(connection)) return
    if (isWhole) this.#idle.add(connection)
    else destroy(connection)
  }
}

function destroy({ client }: Connection): void {
  client.destroy().catch(() => {})
}
