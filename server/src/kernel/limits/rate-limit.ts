import type { Redis } from 'ioredis'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../clock.ts'
import { bounds } from './bounds.ts'
import { rateWindowSeconds } from './limits.ts'

// Applications have different limits, so the limiter only counts, and the caller compares.
const counting = { points: Number.MAX_SAFE_INTEGER, duration: rateWindowSeconds }

/** A counter: adds points to the counter of a name and resolves to its value, or to null if the value is unknown. */
export interface Counter {
  add(name: string, points: number): Promise<number | null>
}

/** Counts in this process. */
export function memoryCounter(): Counter {
  return counterOf(new RateLimiterMemory(counting))
}

function counterOf(limiter: RateLimiterAbstract): Counter {
  return { add: (name, points) => limiter.penalty(name, points).then(consumed, consumed) }
}

interface CountedRequest {
  readonly isWithin: boolean
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Counters of fixed windows, one per minute of the clock. They are kept in this process, in the parent process of a server with several
 * processes, or in Redis or Valkey.
 */
export class Counters {
  readonly #clock: Clock
  readonly #redisUrl: string | undefined
  /** Whether the counters are outside this process and may not answer. */
  readonly #isShared: boolean
  /** Undefined before `start` if counters are shared through Redis. */
  #counter: Counter | undefined
  #redis: Redis | undefined
  /** Commands that the shared store has not answered yet. */
  #unanswered = 0

  /** `parent` counts for the processes of one server; Redis for those of several. */
  constructor(clock: Clock, redisUrl: string | undefined, parent?: Counter) {
    this.#clock = clock
    this.#redisUrl = redisUrl
    this.#isShared = parent !== undefined || redisUrl !== undefined
    if (redisUrl === undefined) this.#counter = parent ?? memoryCounter()
  }

  /** Connects to the shared store, if there is one, and waits at most two seconds for it to answer. */
  async start(): Promise<void> {
    if (this.#redisUrl === undefined) return
    // Loaded only when used, because it takes a tenth of the memory of an idle server.
    const { Redis } = await import('ioredis')
    this.#redis = new Redis(this.#redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      connectTimeout: 500,
      retryStrategy: attempts => Math.min(attempts * 100, 1000),
    })
    this.#redis.on('error', () => {})
    this.#counter = counterOf(new RateLimiterRedis({ ...counting, storeClient: this.#redis, keyPrefix: 'crm' }))
    for (let attempt = 0; attempt < 20 && !(await this.isReady()); attempt += 1) {
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  /** Seconds until the window ends: 1 to 60. */
  secondsLeft(): number {
    return rateWindowSeconds - Math.floor((this.#clock.now() / 1000) % rateWindowSeconds)
  }

  /** Counts one request of this minute; null if the store does not answer. `headers` are those that tell the client of its limit. */
  async count(name: string, limit: number): Promise<CountedRequest | null> {
    const used = await this.add(name)
    if (used === null) return null
    const headers = {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(Math.max(0, limit - used)),
      'RateLimit-Reset': String(this.secondsLeft()),
    }
    return { isWithin: used <= limit, headers }
  }

  /** Adds to the counter of this minute and returns its value; null if the store does not answer. */
  async add(name: string, points = 1): Promise<number | null> {
    const minute = Math.floor(this.#clock.now() / 1000 / rateWindowSeconds)
    const counter = this.#counter
    if (counter === undefined) return null
    const key = `${name}:${minute}`
    return this.#isShared ? this.#ask(() => counter.add(key, points)) : counter.add(key, points)
  }

  /** Whether the counter answers; true if counters are kept in the process. */
  async isReady(): Promise<boolean> {
    const redis = this.#redis
    if (redis !== undefined) return (await this.#ask(() => redis.ping().catch(() => null))) !== null
    return this.#redisUrl === undefined && (await this.add('ready', 0)) !== null
  }

  async close(): Promise<void> {
    this.#redis?.disconnect()
  }

  /** The answer of the shared store; null after a timeout, or if too many answers are outstanding. */
  async #ask<Answer>(command: () => Promise<Answer>): Promise<Answer | null> {
    if (this.#unanswered >= bounds.counts.most) return null
    this.#unanswered += 1
    const answer = command().finally(() => {
      this.#unanswered -= 1
    })
    return inTime(answer)
  }
}

/** The points of a counter; null when the store failed. */
function consumed(result: unknown): number | null {
  return result instanceof RateLimiterRes ? result.consumedPoints : null
}

/**
 * The answer, or null if it takes longer than `bounds.count`. An answer that arrived while the process was busy still counts:
 * `setImmediate` waits until the sockets were read.
 */
async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>(resolve => {
    timer = setTimeout(() => setImmediate(resolve, null), bounds.count.most)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
