import { setTimeout as sleep } from 'node:timers/promises'

/** How long a test sleeps between two checks: briefly at first, up to this maximum. */
const [shortest, longest] = [5, 100]

/**
 * Repeats a check until its result is neither null, undefined nor false; gives up after a limit. It sleeps for a tenth of the time that it
 * has waited: early results are seen early, and waiting for seconds needs few checks.
 */
export async function until<Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  patience = 60_000,
): Promise<NonNullable<Exclude<Answer, false>>> {
  const begin = performance.now()
  for (;;) {
    const answer = await ask()
    if (isGiven(answer)) return answer
    const waited = performance.now() - begin
    if (waited > patience) throw new Error(`gave up waiting for ${what}`)
    await sleep(Math.min(longest, Math.max(shortest, waited / 10)))
  }
}

function isGiven<Answer>(answer: Answer): answer is NonNullable<Exclude<Answer, false>> {
  return answer !== null && answer !== undefined && answer !== false
}

/** Rejects if a promise does not settle within that time. */
export async function within<Result>(milliseconds: number, what: string, work: Promise<Result>): Promise<Result> {
  const given = new AbortController()
  const late = sleep(milliseconds, undefined, { signal: given.signal }).then(() => {
    throw new Error(`${what} took more than ${milliseconds} ms`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    given.abort()
    late.catch(() => {})
  }
}
