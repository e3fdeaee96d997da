import { webhookBounds } from './bounds.ts'

/**
 * The memory for the events that all lanes of a process hold. A lane takes room for a page before it reads one, and then keeps what it has
 * accepted. Those that find no room wait, and go on in the order in which they came.
 */
export class EventRoom {
  #taken = 0
  /** The lanes that wait, each with the bytes that it needs. */
  readonly #waiting = new Map<() => void, number>()

  /** Takes room; false if there is none: then `onRoom` is called once when there is. */
  enter(bytes: number, onRoom: () => void): boolean {
    if (!this.#has(bytes)) {
      this.#waiting.set(onRoom, bytes)
      return false
    }
    this.#waiting.delete(onRoom)
    this.#taken += bytes
    return true
  }

  /** Gives room back; a negative number takes what an accepted event needs. */
  give(bytes: number): void {
    this.#taken -= bytes
    for (const [onRoom, needed] of this.#waiting) {
      if (!this.#has(needed)) return
      this.#waiting.delete(onRoom)
      onRoom()
    }
  }

  /** Waits no more. */
  leave(onRoom: () => void): void {
    this.#waiting.delete(onRoom)
  }

  /** Bytes that are taken. */
  get taken(): number {
    return this.#taken
  }

  /** A page is read even if it alone is larger than the bound: otherwise it would never be. */
  #has(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= webhookBounds.webhookEventBytes.most
  }
}
