import { addressBucket, bounds } from '../../kernel/index.ts'

/**
 * Counts the requests without a valid token whose answers are not yet read, by the address of the client. Behind a trusted proxy, which has
 * one address for all of its clients, this is the forwarded address.
 */
export class UnauthenticatedRequests {
  readonly #held = new Map<string, number>()

  /** Counts one request until the returned function is called; null if the address already has as many as it may. */
  enter(address: string): (() => void) | null {
    const name = addressBucket(address)
    const held = this.#held.get(name) ?? 0
    if (held >= bounds.unauthenticatedRequests.most) return null
    this.#held.set(name, held + 1)
    return () => this.#leave(name)
  }

  #leave(name: string): void {
    const left = (this.#held.get(name) ?? 0) - 1
    if (left > 0) this.#held.set(name, left)
    else this.#held.delete(name)
  }
}
