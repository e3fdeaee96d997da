/** What a call of a receiver has come to. */
export interface CallOutcome {
  /**
   * `delivered`: it took the event. `refused`: it answered, and did not take it. `down`: it takes nothing at present. `gone`: it wants no
   * more events.
   */
  readonly kind: 'delivered' | 'refused' | 'down' | 'gone'
  /** The status of the answer; null if there is none. */
  readonly status: number | null
  /** Why the call failed, in one word; null if it did not. */
  readonly failure: string | null
  /** When the receiver asks to be called again, in milliseconds; null if it does not say. */
  readonly retryAfter: number | null
}

const overloaded = new Set([429, 502, 503, 504])

/** Judges the status of an answer. `retryAfter` is its header of that name. */
export function outcomeOfStatus(status: number, retryAfter: string | undefined, now: number): CallOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status, failure: null, retryAfter: null }
  if (status === 410) return { kind: 'gone', status, failure: 'gone', retryAfter: null }
  if (!overloaded.has(status)) return { kind: 'refused', status, failure: 'status', retryAfter: null }
  return { kind: 'down', status, failure: 'status', retryAfter: retryAfterOf(retryAfter, now) }
}

/** What a call without an answer has come to. */
export function outcomeWithoutAnswer(failure: string): CallOutcome {
  return { kind: 'down', status: null, failure, retryAfter: null }
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The longest wait that a receiver can ask for. */
const longestRetryAfter = hour

/** Seconds or a date, in milliseconds from now; null for any other text. */
function retryAfterOf(text: string | undefined, now: number): number | null {
  if (text === undefined) return null
  const asked = /^\d{1,9}$/u.test(text.trim()) ? Number(text) * second : Date.parse(text) - now
  return Number.isNaN(asked) ? null : Math.min(longestRetryAfter, Math.max(0, asked))
}

const retries = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]

/** The attempt after which a refused event is given up. */
export const lastAttempt = retries.length + 1

/**
 * How long a refused event waits for its next attempt, after this many attempts: 5 s at first, 24 h at last, each up to 20 % shorter or
 * longer, so that events that failed together do not come back together. null: it has had its last attempt. `random` is from 0 to 1.
 */
export function retryDelay(attempts: number, random: number): number | null {
  const delay = retries[attempts - 1]
  return delay === undefined ? null : Math.round(delay * (0.8 + 0.4 * random))
}

const probes = [5 * second, 30 * second, 2 * minute, 5 * minute, 15 * minute, 30 * minute]

/** How long a receiver that is down is left alone after this many failed calls: 5 s at first, an hour at last. */
export function probeDelay(failures: number): number {
  return probes[failures - 1] ?? hour
}

/** How long a receiver may be down before its subscription is paused. */
export const longestHold = 5 * 24 * hour
