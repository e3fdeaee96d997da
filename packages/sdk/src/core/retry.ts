import type { CrmError } from './errors.ts'

const firstBackoff = 500
const longestBackoff = 8_000

/** What the contract lets a client send again (section 14), and what stands between client and server. */
const retryable: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

export function isRetryable(status: number, code: string): boolean {
  return retryable.has(status) || code === 'idempotency_in_progress'
}

/**
 * The milliseconds to wait before the attempt that follows the given one, counted from 1. Null if the client does not repeat the call by
 * itself: a server that failed (500) fails again, and the caller should know.
 */
export function pauseAfter(error: CrmError, attempt: number, random: () => number): number | null {
  if (!error.isRetryable || error.status === 500) return null
  // Full jitter, so that many clients do not return at the same moment; also after the time that the server asks for.
  const backoff = random() * Math.min(longestBackoff, firstBackoff * 2 ** (attempt - 1))
  return (error.retryAfter ?? 0) * 1000 + backoff
}

/** The seconds of a `Retry-After`, which is a number or, from proxies, a date. Null if there is none. */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/u.test(text)) return Number(text)
  const time = /^[A-Z]\w+, /u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : Math.max(0, (time - now) / 1000)
}
