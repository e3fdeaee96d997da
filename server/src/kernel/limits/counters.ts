import type { Redis } from 'ioredis'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../clock.ts'
import { rateWindowSeconds } from './limits.ts'

// Applications have different limits, so the limiter only counts, and the caller compares.
const counting = { points: Number.MAX_SAFE_INTEGER, duration: rateWindowSeconds }

/**
 * Counters of fixed windows that begin with the minute of the clock. They are kept in the process, or shared through
 * Redis or Valkey.
 */
export class Counters {
  readonly #clock: Clock
  readonly #redisUrl: string | undefined
  /** Undefined before `start` if counters are shared. */
  #limiter: RateLimiterAbstract | undefined
  #redis: Redis | undefined

  constructor(clock: Clock, redisUrl: string | undefined) {
    this.#clock = clock
    this.#redisUrl = redisUrl
    if (redisUrl === undefined) this.#limiter = new RateLimiterMemory(counting)
  }

  /** Connects to the shared store, if there is one, and waits at most two seconds for it to answer. */
  async start(): Promise<void> {
    if (this.#redisUrl === undefined) return
    // Loaded only if it is used, because it takes a tenth of the memory of an idle server.
    const { Redis } = await import('ioredis')
    this.#redis = new Redis(this.#redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      connectTimeout: 500,
      commandTimeout: 250,
      retryStrategy: attempts => Math.min(attempts * 100, 1000),
    })
    this.#redis.on('error', () => {})
    this.#limiter = new RateLimiterRedis({ ...counting, storeClient: this.#redis, keyPrefix: 'crm' })
    for (let attempt = 0; attempt < 20 && !(await this.isReady()); attempt += 1) {
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  /** Seconds until the window ends: 1 to 60. */
  secondsLeft(): number {
    return rateWindowSeconds - Math.floor((this.#clock.now() / 1000) % rateWindowSeconds)
  }

  /** Adds to the counter of this minute and returns its value; null when the store does not answer. */
  async add(name: string, points = 1): Promise<number | null> {
    const minute = Math.floor(this.#clock.now() / 1000 / rateWindowSeconds)
    if (this.#limiter === undefined) return null
    try {
      const result = await this.#limiter.penalty(`${name}:${minute}`, points)
      return result.consumedPoints
    } catch (failure) {
      return failure instanceof RateLimiterRes ? failure.consumedPoints : null
    }
  }

  /** Whether the shared store answers; true if counters are kept in the process. */
  async isReady(): Promise<boolean> {
    if (this.#redis === undefined) return this.#redisUrl === undefined
    return this.#redis.ping().then(
      () => true,
      () => false,
    )
  }

  async close(): Promise<void> {
    this.#redis?.disconnect()
  }
}
