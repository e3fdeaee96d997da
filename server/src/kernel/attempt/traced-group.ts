import { traced } from '../tracing/index.ts'
import type { GroupTicket } from './group-ticket.ts'

/**
 * Runs the transaction of a group as one span. A span can only be below one other, so it is put below the span of the first write
 * whose trace is kept. It is linked with the spans of the other writes in both directions.
 */
export function tracedGroup<Result>(tickets: readonly GroupTicket[], work: () => Promise<Result>): Promise<Result> {
  const spans = tickets.flatMap(({ span }) => span ?? [])
  const parent = spans.find(({ isRecorded }) => isRecorded) ?? spans[0]
  // Without this parent it would be below the span in which the lane was started: that of a write which may have ended long ago.
  return traced('transaction', { parent: parent ?? null, facts: { 'crm.group.requests': tickets.length } }, group => {
    for (const span of group === null ? [] : spans.filter(each => each !== parent)) {
      group?.leadTo(span)
      if (group !== null) span.leadTo(group)
    }
    return work()
  })
}
