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
  /** Whether the server has waited for an event. */
  readonly hasWaited: boolean
}

/**
 * Checks that no number is missing in a page, nor between it and the one before, whose last number is `before`. Throws an Error that says
 * which are.
 */
export function proved({ data, meta }: ApiAnswer, before: number | null): FeedPage {
  const events = Array.isArray(data) ? data.filter(isObject) : []
  const range = isObject(meta.range) ? meta.range : {}
  const [from, to, shown, others] = ['fromSeq', 'toSeq', 'matched', 'filtered'].map(name => range[name])
  if (!isNumber(from) || !isNumber(to) || !isNumber(shown) || !isNumber(others) || typeof meta.nextCursor !== 'string')
    throw new Error('The server does not tell which numbers of the change feed it has answered')
  const require = (isProved: boolean, problem: string) => {
    if (!isProved) throw new Error(`The change feed has a gap: ${problem}`)
  }
  require(before === null || from === before, `it goes on after ${from}, not after ${before}`)
  const isWhole = shown + others === to - from && others >= 0 && events.length === shown
  require(isWhole, `${events.length} events and ${others} others are not the numbers after ${from} up to ${to}`)
  let last = from
  for (const { seq } of events) {
    require(isNumber(seq) && seq > last && seq <= to, `${String(seq)} comes after ${last}, on a page up to ${to}`)
    last = Number(seq)
  }
  return { events, cursor: meta.nextCursor, toSeq: to, hasMore: meta.hasMore === true, hasWaited: meta.waited === true }
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value)
