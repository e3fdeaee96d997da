/** What came of one request: what the server said, or that nothing came back. */
export type Sent<Answer, Refused> =
  | { readonly outcome: 'saved'; readonly answer: Answer }
  /** The server refused for good; repeating changes nothing. */
  | { readonly outcome: 'refused'; readonly failure: Refused }
  /** Nobody knows whether it was done, or it was not done and may be tried again. */
  | { readonly outcome: 'again'; readonly afterMilliseconds?: number }

interface Surroundings {
  /** Told with true when the server cannot be reached, and with false when it answers again. */
  readonly onWaiting: (isWaiting: boolean) => void
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

const firstPause = 500
const longestPause = 5_000

/**
 * Sends one submission until the server has answered it. `send` uses the same key and the same body each time, so that what was done
 * already is done once. Answers undefined when the form gave it up.
 */
export async function submit<Answer, Refused>(
  send: () => Promise<Sent<Answer, Refused>>,
  { onWaiting, pause, signal }: Surroundings,
): Promise<Exclude<Sent<Answer, Refused>, { outcome: 'again' }> | undefined> {
  for (let wait = firstPause; !signal.aborted; wait = Math.min(wait * 2, longestPause)) {
    const sent = await send()
    if (sent.outcome !== 'again') {
      onWaiting(false)
      return sent
    }
    onWaiting(true)
    await pause(sent.afterMilliseconds ?? wait, signal)
  }
  onWaiting(false)
  return undefined
}

/** Whether an answer leaves open what became of the request, or asks for another try. Without an answer the status is 0. */
export function isWorthAnotherTry(status: number, code: string): boolean {
  return [0, 429, 502, 503, 504].includes(status) || code === 'idempotency_in_progress'
}

/** Waits, or stops waiting when the signal says so. */
export function pauseFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
