import type { Caller } from './auth/index.ts'
import type { Call } from './call.ts'
import { type Refusal, refuse } from './errors/index.ts'
import { rateWindowSeconds } from './limits/index.ts'
import type { Services } from './services.ts'
import type { Surface } from './surface.ts'

/** Gate 5: counts the request against the limit of its application. Puts the rate headers into `headers`. */
export async function limitRate(
  surface: Surface,
  call: Call,
  { application }: Caller,
  { counters }: Services,
  headers: Record<string, string>,
): Promise<Refusal | null> {
  const bucket = surface.rateBucket(call.method)
  const limit = bucket === 'read' ? application.rateRead : application.rateWrite
  const used = await counters.add(`${bucket}:${application.id}`)
  if (used === null) return refuse('rate_limiter_unavailable')
  const reset = counters.secondsLeft()
  headers['RateLimit-Limit'] = String(limit)
  headers['RateLimit-Remaining'] = String(Math.max(0, limit - used))
  headers['RateLimit-Reset'] = String(reset)
  if (used <= limit) return null
  return refuse('rate_limit_exceeded', { bucket, limit, windowSeconds: rateWindowSeconds, retryAfterSeconds: reset })
}
