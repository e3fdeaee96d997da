import { type Clock, realClock } from '../core/clock.ts'
import { CrmError } from '../core/errors.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { type FeedRange, type FeedReads, type FeedSelection, type ProvedPage, prove } from './feed-page.ts'

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
 * After the first page it waits out limits, restarts of the server and lost connections. A token that lost its rights, for example, ends it.
 *
 * @param cursor where to begin; null for now, which is told by a first step without events.
 * @throws FeedGap if numbers are missing.
 */
export async function* follow<Event extends { readonly seq: number }>(
  changes: FeedReads<Event>,
  cursor: string | null,
  { wait = 20, signal, ...selection }: FollowOptions = {},
  clock: Clock = realClock,
): AsyncGenerator<FeedStep<Event>, void, undefined> {
  if (!(Number.isInteger(wait) && wait >= 0 && wait <= 30)) throw new RangeError('wait is an integer from 0 to 30')
  let canWait = true
  let before: FeedRange | null = null
  let rest = shortestRest

  const read = async (after: string): Promise<ProvedPage<Event>> => {
    const query = { limit: 100, ...selection, after, ...(canWait && { wait }) }
    const options = { timeout: (wait + graceSeconds) * 1000, ...(signal && { signal }) }
    return prove(await changes.list(query, options).withResponse(), before)
  }
  const present = async () => (await changes.cursor({}, { ...(signal && { signal }) })).cursor

  let position = cursor
  if (position === null) {
    position = await present()
    yield { events: [], cursor: position, reset: null }
  }
  for (;;) {
    let page: ProvedPage<Event>
    try {
      page = await read(position)
    } catch (error) {
      if (!CrmError.is(error)) throw error
      if (canWait && refusesToWait(error)) canWait = false
      else if (error.code === 'cursor_expired') {
        before = null
        position = await present()
        yield { events: [], cursor: position, reset: error.details }
      } else if (error.code === 'rate_limit_exceeded' || (error.isRetryable && before !== null)) {
        await clock.sleep(1000 * Math.max(rest, error.retryAfter ?? 0), signal)
        rest = Math.min(longestRest, rest * 2)
      } else throw error
      continue
    }
    rest = shortestRest
    before = page.range
    const { events, hasMore } = page
    if (events.length > 0 || page.cursor !== position) yield { events, cursor: page.cursor, reset: null }
    position = page.cursor
    signal?.throwIfAborted()
    if (events.length > 0 || hasMore || page.hasWaited) continue
    await clock.sleep(1000 * Math.max(canWait ? shortestRest : pollSeconds, page.retryAfter), signal)
  }
}

/** A server that does not know `wait` refuses it as an unknown parameter. */
function refusesToWait({ code, details }: CrmError): boolean {
  const { issues } = details
  if (code !== 'validation_error' || !Array.isArray(issues)) return false
  return issues.some((issue: unknown) => isObject(issue) && issue.path === 'query:wait')
}
