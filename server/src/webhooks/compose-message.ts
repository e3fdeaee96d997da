import type { ChangeRow } from '../crm/changes/index.ts'
import { isSynchronized, meetsConditions, readRecordTexts, type Services, unattended } from '../kernel/index.ts'
import { type EventMessage, messageOfChange, type ShownRecord, type Told } from './event-body.ts'
import { readableTypes } from './readable-types.ts'
import type { Subscription } from './subscription.ts'

type Needed = Pick<Services, 'database' | 'clock' | 'resources' | 'jobTypes'>

/**
 * The message about a change as a webhook with these scopes may have it now. Reads the record if the webhook has filters, and if its bodies
 * have it. null if the webhook is not told of it.
 */
export async function composeMessage(
  subscription: Subscription,
  told: Told,
  scopes: ReadonlySet<string>,
  services: Needed,
): Promise<EventMessage | null> {
  const newest = told.changes.at(-1)
  if (newest === undefined || !readableTypes(services, scopes, subscription.records).has(newest.resource_type))
    return null
  if (!(await isChosen(newest, subscription, services))) return null
  const shown = subscription.isFull ? await shownRecord(newest, subscription, scopes, services) : null
  return messageOfChange(told, subscription.id, scopes, shown)
}

/** Filters judge the record as it is now. If it is gone they let the event pass: the receiver may have a copy. */
async function isChosen(
  { resource_id: id }: ChangeRow,
  subscription: Subscription,
  services: Needed,
): Promise<boolean> {
  const { records, organization } = subscription
  if (records === null) return true
  const reading = { organization, reader: unattended(organization.id) }
  return (await meetsConditions(records.resource, id, records.conditions, reading, services)) ?? true
}

async function shownRecord(
  { resource_type: type, resource_id: id }: ChangeRow,
  { organization, applicationId }: Subscription,
  scopes: ReadonlySet<string>,
  services: Needed,
): Promise<ShownRecord> {
  const resource = services.resources.find(each => each.kind === type && isSynchronized(each))
  if (resource === undefined) return { text: null, redacted: [] }
  const reading = { caller: { organization, keysOf: applicationId, scopes }, reader: unattended(organization.id) }
  const { texts, redacted } = await readRecordTexts(resource, [id], reading, services)
  return { text: texts.get(id) ?? null, redacted }
}
