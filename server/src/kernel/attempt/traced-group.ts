import { traced } from '../tracing/index.ts'
import type { GroupTicket } from './group-ticket.ts'

/**
 * Runs the transaction of a group as one span. A span has one above it, so it is below the first of its writes of which traces are kept;
 * the spans of the others lead to it, and it to them.
 */
export function tracedGroup<Result>(tickets: readonly GroupTicket[], work: () => Promise<Result>): Promise<Result> {
  const spans = tickets.flatMap(({ span }) => span ?? [])
  const parent = spans.find(({ isRecorded }) => isRecorded) ?? spans[0]
  // A lane runs on in the span of the write that it began with, which is not the one to be above all its groups.
  return traced('transaction', { parent: parent ?? null, facts: { 'crm.group.requests': tickets.length } }, group => {
    for (const span of group === null ? [] : spans.filter(each => each !== parent)) {
      group?.leadTo(span)
      if (group !== null) span.leadTo(group)
    }
    return work()
  })
}
