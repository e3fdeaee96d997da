import { webhookBounds } from './bounds.ts'

/** The places for calls that are under way in a process, each organization with its share. */
export class CallPlaces {
  readonly #inside = new Map<string, number>()
  readonly #onChange: (taken: number) => void
  #count = 0

  constructor(onChange: (taken: number) => void = () => {}) {
    this.#onChange = onChange
  }

  /** Takes a place; false if there is none. */
  enter(organizationId: string): boolean {
    const own = this.#inside.get(organizationId) ?? 0
    const isFull = this.#count >= webhookBounds.webhookCalls.most || own >= webhookBounds.organizationWebhookCalls.most
    if (isFull) return false
    this.#count += 1
    this.#inside.set(organizationId, own + 1)
    this.#onChange(this.#count)
    return true
  }

  leave(organizationId: string): void {
    const own = this.#inside.get(organizationId) ?? 0
    this.#count -= 1
    if (own > 1) this.#inside.set(organizationId, own - 1)
    else this.#inside.delete(organizationId)
    this.#onChange(this.#count)
  }

  /** How many are taken. */
  get taken(): number {
    return this.#count
  }
}
