import { setTimeout as sleep } from 'node:timers/promises'

/** Asks again until the answer is neither null, undefined nor false; gives up rather than to wait for ever. */
export async function until<Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  patience = 60_000,
): Promise<NonNullable<Exclude<Answer, false>>> {
  const deadline = Date.now() + patience
  for (;;) {
    const answer = await ask()
    if (isGiven(answer)) return answer
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await sleep(20)
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
