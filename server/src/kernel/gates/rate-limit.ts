import type { Caller } from '../auth/index.ts'
import { type Refusal, refuse } from '../errors/index.ts'
import { type Counters, rateWindowSeconds } from '../limits/index.ts'

/** Gate 5: counts a request against the rate limit of its owner, and adds the rate limit headers to `headers`. */
export async function limitRate(
  bucket: 'read' | 'write',
  rate: Caller['rate'],
  counters: Counters,
  headers: Record<string, string>,
): Promise<Refusal | null> {
  const limit = rate[bucket]
  const used = await counters.add(`${bucket}:${rate.owner}`)
  if (used === null) return refuse('rate_limiter_unavailable')
  const reset = counters.secondsLeft()
  headers['RateLimit-Limit'] = String(limit)
  headers['RateLimit-Remaining'] = String(Math.max(0, limit - used))
  headers['RateLimit-Reset'] = String(reset)
  if (used <= limit) return null
  return refuse('rate_limit_exceeded', { bucket, limit, windowSeconds: rateWindowSeconds, retryAfterSeconds: reset })
}
