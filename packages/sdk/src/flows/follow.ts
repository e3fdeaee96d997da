import { realClock } from '../core/clock.ts'
import { CrmError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { FeedRange } from '../generated/schemas.ts'
import { type FeedReads, type FeedSelection, type ProvedPage, prove } from './feed-page.ts'
import { refusesParameter } from './refused-parameter.ts'
import { mostSeconds, type Resting, restAfter } from './rest.ts'

export interface FollowOptions extends FeedSelection {
  /** How many seconds the server waits for the next event: 0 to 30, 20 unless given. */
  readonly wait?: number
  /** Ends the loop with the reason of the signal. */
  readonly signal?: AbortSignal
}

/** What the loop over the feed gets at a time. */
export interface FeedStep<Event> {
  /** In the order of their commits. Empty if all were left out. */
  readonly events: readonly Event[]
  /** The position behind them: store it when they are applied, and begin with it the next time. */
  readonly cursor: string
  /**
   * Null while the feed is complete. Otherwise events before `cursor` are gone, because they were kept long enough or the database was
   * restored: read all records anew, and go on.
   */
  readonly reset: JsonObject | null
}

/** How often a server is asked that cannot wait: release 0.1.0 does not know `wait`. */
const pollSeconds = 5
/** A request gets so much longer than the server may wait. */
const graceSeconds = 15
/** How long to rest after a failure, at first and at most. */
const [shortestRest, longestRest] = [1, 30]

/**
 * Yields the events after a cursor as soon as they are committed, without end. Each page is proved: no number is missing in it, nor
 * between it and the page before. Nothing is read ahead, so the loop sets the speed.
 *
 * Once the server has answered, it waits out limits, restarts of the server and lost connections. A token that lost its rights, for example,
 * ends it, and so does a server that asks for a rest of more than 120 seconds.
 *
 * @param cursor where to begin; null for now, which is told by a first step without events.
 * @throws FeedGap if numbers are missing.
 */
export async function* follow<Event extends { readonly seq: number }>(
  changes: FeedReads<Event>,
  cursor: string | null,
  { wait = 20, signal, ...selection }: FollowOptions = {},
  resting: Resting = { clock: realClock },
): AsyncGenerator<FeedStep<Event>, void, undefined> {
  if (!(Number.isInteger(wait) && wait >= 0 && wait <= 30)) throw new RangeError('wait is an integer from 0 to 30')
  let canWait = true
  let hasBegun = false
  let before: FeedRange | null = null
  let rests = 0

  const read = async (after: string): Promise<ProvedPage<Event>> => {
    const query = { limit: 100, ...selection, after, ...(canWait && { wait }) }
    const options = { timeout: (wait + graceSeconds) * 1000, ...(signal && { signal }) }
    return prove(await changes.list(query, options).withResponse(), before)
  }
  const present = async () => (await changes.cursor({}, { ...(signal && { signal }) })).cursor

  // Null until the server has told the position of now.
  let position = cursor
  let reset: JsonObject | null = null
  for (;;) {
    let page: ProvedPage<Event> | null = null
    let next: string
    try {
      if (position !== null) page = await read(position)
      next = page?.cursor ?? (await present())
    } catch (error) {
      if (!CrmError.is(error)) throw error
      if (canWait && refusesParameter(error, 'wait')) canWait = false
      else if (error.code === 'cursor_expired') {
        before = null
        position = null
        reset = error.details
      } else if (error.code === 'rate_limit_exceeded' || (error.isRetryable && hasBegun)) {
        const rest = Math.min(longestRest, shortestRest * 2 ** rests)
        rests += 1
        const operation = position === null ? 'changes.cursor' : 'changes.list'
        await restAfter(error, Math.max(rest, error.retryAfter ?? 0), { operation, attempt: rests, signal }, resting)
      } else throw error
      continue
    }
    hasBegun = true
    rests = 0
    const events = page?.events ?? []
    if (page === null || events.length > 0 || next !== position) yield { events, cursor: next, reset }
    position = next
    reset = null
    signal?.throwIfAborted()
    if (page === null) continue
    before = page.range
    if (events.length > 0 || page.hasMore || page.hasWaited) continue
    const seconds = Math.max(canWait ? shortestRest : pollSeconds, page.retryAfter)
    await resting.clock.sleep(1000 * Math.min(mostSeconds, seconds), signal)
  }
}
