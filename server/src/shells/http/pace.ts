import type { IncomingMessage } from 'node:http'
import { nextSlice } from '../../kernel/index.ts'

const chunksAtATime = 1000
const bytesAtATime = 256 * 1024

/** Has a long body come in slices, also one that is thrown away, and one of very many small chunks. */
export class Pace {
  readonly #request: IncomingMessage
  #chunks = 0
  #bytes = 0

  constructor(request: IncomingMessage) {
    this.#request = request
  }

  /** Counts a chunk; when there were enough for now, the request waits for its turn. */
  count(bytes: number): void {
    if (!this.isEnough(bytes)) return
    this.#request.pause()
    void nextSlice().then(() => this.#request.resume())
  }

  /** Counts a chunk; whether there were enough for now. */
  isEnough(bytes: number): boolean {
    this.#chunks += 1
    this.#bytes += bytes
    if (this.#chunks < chunksAtATime && this.#bytes < bytesAtATime) return false
    this.#chunks = 0
    this.#bytes = 0
    return true
  }
}
