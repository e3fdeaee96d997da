import type { Services } from '../kernel/index.ts'
import { type EventMessage, type MessageSubject, messageOfChange } from './event-body.ts'
import type { LaneRecords, RecordsAsked } from './lane-records.ts'
import { readableTypes } from './readable-types.ts'

/**
 * The message about a change as a webhook may have it now. Needs the record if the webhook has filters, and if its bodies have it. null if
 * the webhook is not told of it.
 */
export async function composeMessage(
  subject: MessageSubject,
  asked: RecordsAsked,
  records: LaneRecords,
  services: Pick<Services, 'resources' | 'jobTypes'>,
): Promise<EventMessage | null> {
  const { subscription, scopes } = asked
  const newest = subject.changes.at(-1)
  if (newest === undefined || !readableTypes(services, scopes, subscription.records).has(newest.resource_type))
    return null
  if (!(await records.isChosen(newest, asked))) return null
  const shown = subscription.isFull ? await records.shown(newest, asked) : null
  return messageOfChange(subject, subscription.id, scopes, shown)
}
