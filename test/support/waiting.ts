import { setTimeout as sleep } from 'node:timers/promises'

/** How long a test sleeps before it asks again: shortly at first, and at most so long. */
const [shortest, longest] = [5, 100]

/**
 * Asks again until the answer is neither null, undefined nor false; gives up rather than to wait for ever. It sleeps for a tenth of
 * the time that it has waited: what comes soon is seen soon, and to ask for what takes seconds costs little.
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
    if (waited > patience) throw new Error(`waited in vain for ${what}`)
    await sleep(Math.min(longest, Math.max(shortest, waited / 10)))
  }
}

function isGiven<Answer>(answer: Answer): answer is NonNullable<Exclude<Answer, false>> {
  return answer !== null && answer !== undefined && answer !== false
}

/** A promise that is not kept in that time counts as never kept. */
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
