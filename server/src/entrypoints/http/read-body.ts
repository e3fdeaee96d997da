import type { IncomingMessage } from 'node:http'
import { ClientGone, type Refusal, refuse, type TakeBody, yieldToEventLoop } from '../../kernel/index.ts'

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/**
 * Gate 6: reads the whole body. Refuses with 413 by the declared length, or as soon as more than `limit` bytes have come. Calls `take` to
 * reserve memory before it keeps bytes, and returns its refusal.
 */
export function readBody(request: IncomingMessage, limit: number, take: TakeBody): Promise<Uint8Array | Refusal> {
  if (!hasBody(request)) return Promise.resolve(new Uint8Array())
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limit) return Promise.resolve(refuse('payload_too_large', { limitBytes: limit }))
  return new Promise((resolve, reject) => {
    if (request.destroyed && !request.complete) return reject(new ClientGone('the request ended early'))
    // Reserves memory for the whole body at once: otherwise many bodies that arrive together could each hold a part, and none could
    // complete.
    const refusal = take(declared)
    if (refusal !== null) return resolve(refusal)
    const body = new GrowingBody(declared, limit, take)
    const pace = new MinimumRate(request)
    request.on('data', (chunk: Buffer) => {
      const refusal = body.add(chunk)
      if (refusal === null) return pace.count(chunk.length)
      request.removeAllListeners('data')
      request.pause()
      resolve(refusal)
    })
    request.on('end', () => resolve(body.bytes()))
    request.on('error', () => reject(new ClientGone('the request ended early')))
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone('the request ended early'))
    })
  })
}

const smallest = 16 * 1024
const none = Buffer.alloc(0)

/** A body in one buffer, however many chunks it arrives in. Keeping each chunk would cost far more memory than its bytes. */
class GrowingBody {
  readonly #declared: number
  readonly #limit: number
  readonly #take: TakeBody
  #taken: number
  #whole: Buffer = none
  #length = 0

  constructor(declared: number, limit: number, take: TakeBody) {
    this.#declared = declared
    this.#limit = limit
    this.#take = take
    this.#taken = declared
  }

  add(chunk: Buffer): Refusal | null {
    const length = this.#length + chunk.length
    if (length > this.#limit) return refuse('payload_too_large', { limitBytes: this.#limit })
    if (length > this.#whole.length) {
      const refusal = this.#grow(chunk, length)
      if (refusal !== null) return refusal
    }
    // Most bodies arrive in one chunk, which is used without a copy.
    if (this.#whole !== chunk) chunk.copy(this.#whole, this.#length)
    this.#length = length
    return null
  }

  bytes(): Uint8Array {
    return this.#whole.subarray(0, this.#length)
  }

  #grow(chunk: Buffer, length: number): Refusal | null {
    const isWhole = this.#length === 0 && chunk.length === this.#declared
    const doubled = Math.max(smallest, 2 * this.#whole.length, length)
    const size = isWhole ? length : Math.min(doubled, this.#declared || this.#limit)
    const refusal = size > this.#taken ? this.#take(size - this.#taken) : null
    if (refusal !== null) return refusal
    this.#taken = Math.max(this.#taken, size)
    const whole = isWhole ? chunk : Buffer.allocUnsafeSlow(size)
    if (!isWhole) this.#whole.copy(whole, 0, 0, this.#length)
    this.#whole = whole
    return null
  }
}

const chunksAtATime = 1000
const bytesAtATime = 64 * 1024

/** Limits the time that a long body holds the event loop, including a body that is discarded and a body of many small chunks. */
export class MinimumRate {
  readonly #request: IncomingMessage
  #chunks = 0
  #bytes = 0

  constructor(request: IncomingMessage) {
    this.#request = request
  }

  /** Counts a chunk. After a full slice of chunks, pauses the request until its next turn. */
  count(bytes: number): void {
    if (!this.isEnough(bytes)) return
    this.#request.pause()
    void yieldToEventLoop().then(() => this.#request.resume())
  }

  /** Counts a chunk; returns whether the slice is full. */
  isEnough(bytes: number): boolean {
    this.#chunks += 1
    this.#bytes += bytes
    if (this.#chunks < chunksAtATime && this.#bytes < bytesAtATime) return false
    this.#chunks = 0
    this.#bytes = 0
    return true
  }
}

/** Yields the body chunk by chunk, in slices. If the reader stops, the rest stays unread on the connection. */
export async function* streamBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  if (!hasBody(request)) return
  const pace = new MinimumRate(request)
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false })
  try {
    for await (const chunk of chunks) {
      yield chunk
      if (pace.isEnough(chunk.length)) await yieldToEventLoop()
    }
  } catch {
    throw new ClientGone('the request ended early')
  }
}
