import { type BoundName, bounds } from '../limits/bounds.ts'

/** How much of one thing is held, by organization and in all. */
export class Account {
  readonly #perOrganization: BoundName
  readonly #inAll: BoundName
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(perOrganization: BoundName, inAll: BoundName) {
    this.#perOrganization = perOrganization
    this.#inAll = inAll
  }

  /** The bound that taking so much would go beyond; null when there is room. */
  exceeded(organizationId: string, amount: number): BoundName | null {
    const held = this.#held.get(organizationId) ?? 0
    if (held + amount > bounds[this.#perOrganization].most) return this.#perOrganization
    return this.#total + amount > bounds[this.#inAll].most ? this.#inAll : null
  }

  take(organizationId: string, amount: number): void {
    this.#held.set(organizationId, (this.#held.get(organizationId) ?? 0) + amount)
    this.#total += amount
  }

  give(organizationId: string, amount: number): void {
    const left = (this.#held.get(organizationId) ?? 0) - amount
    if (left > 0) this.#held.set(organizationId, left)
    else this.#held.delete(organizationId)
    this.#total -= amount
  }

  get total(): number {
    return this.#total
  }
}
