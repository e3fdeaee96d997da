import type { Answer, Meta, WithResponse } from '../core/answer.ts'
import { CrmError } from '../core/errors.ts'
import type { ReadOptions } from '../core/options.ts'
import { retryAfterOf } from '../core/retry.ts'
import type { FeedRange } from '../generated/schemas.ts'

/** Which events of the feed, and how many at a time. */
export interface FeedSelection {
  /** Kinds of records, and types of jobs, whose ends come only if they are named. All kinds that the token may read unless given. */
  readonly resourceTypes?: ('contact' | 'company' | 'deal' | 'task' | 'bulk_job' | 'export' | 'import')[]
  /** `['record']`: each event has the record as it is now. */
  readonly include?: 'record'[]
  /** How many events at a time: 1 to 100, 100 unless given. */
  readonly limit?: number
}

/** The methods of the change feed that following it needs. */
export interface FeedReads<Event> {
  cursor(query?: object, options?: ReadOptions): Answer<{ readonly cursor: string }>
  list(query: FeedSelection & { after: string; wait?: number }, options?: ReadOptions): Answer<readonly Event[]>
}

/** Numbers are missing in the feed, so events may be lost. */
export class FeedGap extends CrmError {
  static override readonly kind: string = 'FeedGap'

  constructor(problem: string, range: Readonly<Record<string, number>>, requestId: string) {
    super({ code: 'feed_gap', message: `the change feed has a gap: ${problem}`, details: range, requestId })
  }
}

/** A page of the feed in which no number is missing. */
export interface ProvedPage<Event> {
  readonly events: readonly Event[]
  readonly cursor: string
  readonly range: FeedRange
  readonly hasMore: boolean
  /** Whether the server has waited for an event. */
  readonly hasWaited: boolean
  /** In how many seconds it wants to be asked again: 0 if it does not matter. */
  readonly retryAfter: number
}

/**
 * Checks that no number is missing in a page, nor between it and the page before.
 *
 * @throws FeedGap if one is missing, or the answer does not tell which it covers.
 */
export function prove<Event extends { readonly seq: number }>(
  { data: events, meta, response, requestId }: WithResponse<readonly Event[]>,
  before: FeedRange | null,
): ProvedPage<Event> {
  const range = rangeOf(meta)
  const { fromSeq, toSeq, matched, filtered } = range
  const require = (isProved: boolean, problem: string) => {
    if (!isProved) throw new FeedGap(problem, { ...range }, requestId)
  }
  require(Object.values(range).every(Number.isSafeInteger), 'a page does not tell which numbers it covers')
  require(before === null || before.toSeq === fromSeq, `a page begins after ${fromSeq}, not after ${before?.toSeq}`)
  require(matched + filtered === toSeq - fromSeq &&
    filtered >= 0, `${matched} events and ${filtered} others are not the numbers after ${fromSeq} up to ${toSeq}`)
  require(events.length === matched, `a page has ${events.length} events instead of ${matched}`)
  let last = fromSeq
  for (const { seq } of events) {
    require(seq > last && seq <= toSeq, `${seq} comes after ${last}, on a page up to ${toSeq}`)
    last = seq
  }
  return {
    events,
    cursor: String(meta.nextCursor),
    range,
    hasMore: meta.hasMore === true,
    hasWaited: meta.waited === true,
    retryAfter: retryAfterOf(response.headers, Date.now()) ?? 0,
  }
}

function rangeOf({ range }: Meta): FeedRange {
  const told = typeof range === 'object' && range !== null ? range : {}
  const number = (member: string) => Number(Reflect.get(told, member) ?? Number.NaN)
  return {
    fromSeq: number('fromSeq'),
    toSeq: number('toSeq'),
    matched: number('matched'),
    filtered: number('filtered'),
  }
}
