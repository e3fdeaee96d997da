import type { IDataObject } from 'n8n-workflow'
import { isObject } from '../api/answer.ts'
import type { ApiAnswer } from '../api/call.ts'

/** A page of the change feed in which no number is missing. */
export interface FeedPage {
  readonly events: readonly IDataObject[]
  readonly cursor: string
  /** The number of the last event that was looked at. */
  readonly toSeq: number
  readonly hasMore: boolean
}

/**
 * Checks that no number is missing in a page, nor between it and the one before, whose last number is `before`. Throws an Error that says
 * which are.
 */
export function proved({ data, meta }: ApiAnswer, before: number | null): FeedPage {
  const events = Array.isArray(data) ? data.filter(isObject) : []
  const { fromSeq, toSeq, matched, filtered } = isObject(meta.range) ? meta.range : {}
  const [from, to, shown, others] = [fromSeq, toSeq, matched, filtered].map(Number)
  if (
    from === undefined ||
    to === undefined ||
    shown === undefined ||
    others === undefined ||
    typeof meta.nextCursor !== 'string'
  )
    throw new Error('The server does not tell which numbers of the change feed it has answered')
  if (before !== null && from !== before)
    throw new Error(`The change feed has a gap: it goes on after ${from}, not after ${before}`)
  if (shown + others !== to - from || events.length !== shown)
    throw new Error(
      `The change feed has a gap: ${events.length} events and ${others} others are not the numbers after ${from} up to ${to}`,
    )
  return { events, cursor: meta.nextCursor, toSeq: to, hasMore: meta.hasMore === true }
}
