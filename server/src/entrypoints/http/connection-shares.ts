import { AddressList, addressBucket, bounds } from '../../kernel/index.ts'

/** What keeps a connection from an ordinary place: the share of its address or of the trusted proxies, or the bound of all. */
export type Exceeded = 'addressConnections' | 'proxyConnections' | 'connections'

/** The place of an open connection, held until `leave` is called, once. */
export interface ConnectionPlace {
  /** Null: it has an ordinary place. Otherwise one probe is answered on it. */
  readonly exceeded: Exceeded | null
  leave(): void
}

/** All addresses in `TRUSTED_PROXIES` share one name. */
const proxies = 'proxies'

/**
 * Shares the connections of a server out to the addresses that they come from. A few places answer one probe each. So a client that
 * takes all that it can get leaves the others theirs, and a probe of the server learns that it lives (contract section 17.33).
 */
export class ConnectionShares {
  readonly #trusted: AddressList
  readonly #processes: number
  readonly #ordinary = new Holders()
  readonly #probes = new Holders()

  /** A server of several processes has the connections of all of them. */
  constructor(trustedProxies: readonly string[], processes = 1) {
    this.#trusted = new AddressList(trustedProxies)
    this.#processes = processes
  }

  /** The place of a connection from this address; null when there is none left. */
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

/** How many places are held, under each name and in total. */
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
