import { AddressList, addressBucket, bounds } from '../../kernel/index.ts'

/** The limit that a connection exceeds: the share of its address or of the trusted proxies, or the bound of all connections. */
export type Exceeded = 'addressConnections' | 'proxyConnections' | 'connections'

/** The slot of an open connection. Call `leave` exactly once. */
export interface ConnectionPlace {
  /** Null: an ordinary slot. Otherwise the connection may only send one probe. */
  readonly exceeded: Exceeded | null
  leave(): void
}

/** All addresses in `TRUSTED_PROXIES` are counted together under this name. */
const proxies = 'proxies'

/**
 * Shares the connections of a server among the addresses of its clients, and reserves a few slots that answer one probe each. A client that
 * takes all it can get leaves the others theirs, and a health check still sees that the server lives (contract section 17.33).
 */
export class ConnectionShares {
  readonly #trusted: AddressList
  readonly #processes: number
  readonly #ordinary = new Holders()
  readonly #probes = new Holders()

  /** A server of several processes counts the connections of all of them here. */
  constructor(trustedProxies: readonly string[], processes = 1) {
    this.#trusted = new AddressList(trustedProxies)
    this.#processes = processes
  }

  /** Takes a slot for a connection from this address; null if none is free. */
  enter(address: string | undefined): ConnectionPlace | null {
    const isTrusted = this.#trusted.has(address)
    const name = isTrusted ? proxies : addressBucket(address)
    const share = isTrusted ? 'proxyConnections' : 'addressConnections'
    const [all, probes] = [this.#most('connections'), this.#most('probeConnections')]
    const isBeyondShare = this.#ordinary.of(name) >= this.#most(share)
    if (!isBeyondShare && this.#ordinary.total < all - probes) return this.#ordinary.enter(name, null)
    if (this.#probes.total >= probes || this.#probes.of(name) >= probes / 4) return null
    return this.#probes.enter(name, isBeyondShare ? share : 'connections')
  }

  #most(bound: Exceeded | 'probeConnections'): number {
    return bounds[bound].most * this.#processes
  }
}

/** How many slots are in use, by name and in total. */
class Holders {
  readonly #held = new Map<string, number>()
  total = 0

  of(name: string): number {
    return this.#held.get(name) ?? 0
  }

  enter(name: string, exceeded: Exceeded | null): ConnectionPlace {
    this.#add(name, 1)
    return { exceeded, leave: () => this.#add(name, -1) }
  }

  #add(name: string, change: 1 | -1): void {
    const held = this.of(name) + change
    if (held > 0) this.#held.set(name, held)
    else this.#held.delete(name)
    this.total += change
  }
}
