import { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../clock.ts'
import { rateWindowSeconds } from './limits.ts'

/** Counters of fixed windows, aligned to the clock minute; in the process, or shared through Redis or Valkey. */
export class Counters {
  readonly #limiter: RateLimiterMemory | RateLimiterRedis
  readonly #redis: Redis | undefined
  readonly #clock: Clock

  constructor(clock: Clock, redisUrl: string | undefined) {
    this.#clock = clock
    // Each application has its own limit, so the limiter only counts; the limit is compared by the caller.
    const options = { points: Number.MAX_SAFE_INTEGER, duration: rateWindowSeconds }
    if (redisUrl === undefined) {
      this.#limiter = new RateLimiterMemory(options)
      return
    }
    this.#redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      connectTimeout: 500,
      commandTimeout: 250,
      retryStrategy: attempts => Math.min(attempts * 100, 1000),
    })
    this.#redis.on('error', () => {})
    this.#limiter = new RateLimiterRedis({ ...options, storeClient: this.#redis, keyPrefix: 'crm' })
  }

  /** Seconds until the window ends: 1 to 60. */
  secondsLeft(): number {
    return rateWindowSeconds - Math.floor((this.#clock.now() / 1000) % rateWindowSeconds)
  }

  /** Adds to the counter of this minute and returns its value; null when the store does not answer. */
  async add(name: string, points = 1): Promise<number | null> {
    const minute = Math.floor(this.#clock.now() / 1000 / rateWindowSeconds)
    try {
      const result = await this.#limiter.penalty(`${name}:${minute}`, points)
      return result.consumedPoints
    } catch (failure) {
      return failure instanceof RateLimiterRes ? failure.consumedPoints : null
    }
  }

  /** Whether the shared store answers; always true for counters in the process. */
  async isReady(): Promise<boolean> {
    if (this.#redis === undefined) return true
    return this.#redis.ping().then(
      () => true,
      () => false,
    )
  }

  /** Waits until the shared store can be reached for the first time, at most two seconds. */
  async start(): Promise<void> {
    for (let attempt = 0; attempt < 20 && !(await this.isReady()); attempt += 1) {
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  async close(): Promise<void> {
    this.#redis?.disconnect()
  }
}
