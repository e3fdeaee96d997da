/** The time of a client. A test replaces it, so that nothing waits. */
export interface Clock {
  /** Milliseconds. Only differences count. */
  now(): number
  /** Resolves after the milliseconds, and rejects with the reason of the signal as soon as that aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Calls `expired` after the milliseconds, unless the function that it returns was called before. */
  timeout(milliseconds: number, expired: () => void): () => void
}

/** A timer holds no more milliseconds: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1

export const realClock: Clock = {
  // The time of day can be set back, this one cannot.
  now: () => performance.now(),

  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const aborted = () => {
        cancel()
        reject(signal?.reason)
      }
      const cancel = this.timeout(milliseconds, () => {
        signal?.removeEventListener('abort', aborted)
        resolve()
      })
      signal?.addEventListener('abort', aborted, { once: true })
    })
  },

  timeout(milliseconds, expired) {
    const timer = setTimeout(expired, Math.min(milliseconds, longestTimer))
    return () => clearTimeout(timer)
  },
}
