import { webhookBounds } from './bounds.ts'

/**
 * The memory for the events that all lanes of a process hold. A lane takes room for a page before it reads one, and then keeps what it has
 * accepted. Those that find no room wait, and go on in the order in which they came.
 */
export class EventRoom {
  #taken = 0
  /** The lanes that wait, each with the bytes that it needs. */
  readonly #waiting = new Map<() => void, number>()

  /** Takes room; false if there is none, or others wait for some: then `onRoom` is called once when it is the turn of the lane. */
  enter(bytes: number, onRoom: () => void): boolean {
    const [first = onRoom] = this.#waiting.keys()
    if (first !== onRoom || !this.#has(bytes)) {
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
    this.#callNext()
  }

  /** Waits no more. */
  leave(onRoom: () => void): void {
    if (this.#waiting.delete(onRoom)) this.#callNext()
  }

  /** Calls those that have room now. One that asks for more than before keeps its turn; one that asks no more loses it. */
  #callNext(): void {
    for (const [onRoom, bytes] of this.#waiting) {
      if (!this.#has(bytes)) return
      onRoom()
      if ((this.#waiting.get(onRoom) ?? bytes) !== bytes) return
      this.#waiting.delete(onRoom)
    }
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
