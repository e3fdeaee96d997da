import { type Crm, Gone, NotFound } from 'crm-sdk'
import type { ChangeEvent } from 'crm-sdk/schemas'

/** What a full body has beside its event. */
export interface ShownRecord {
  /** The record as it is now. Null if it is gone or anonymized, and for a job. */
  readonly record: object | null
  /** What the scopes of the token hide of it and of the event. */
  readonly redacted: readonly string[]
}

/** Reads the record of an event, as a webhook with full bodies does before it sends them. */
export async function recordOf(crm: Crm, event: ChangeEvent): Promise<ShownRecord> {
  // Without the scope for operators an event has no author.
  const ofEvent = Object.hasOwn(event, 'actorUuid') ? [] : ['operators']
  try {
    const { data, meta } = await read(crm, event)
    return { record: data, redacted: [...new Set([...(meta.redacted ?? []), ...ofEvent])] }
  } catch (error) {
    if (NotFound.is(error) || Gone.is(error)) return { record: null, redacted: ofEvent }
    throw error
  }
}

async function read(
  crm: Crm,
  { resourceType, resourceId: id }: ChangeEvent,
): Promise<{ readonly data: object | null; readonly meta: { readonly redacted?: readonly string[] } }> {
  switch (resourceType) {
    case 'contact':
      return crm.contacts.get(id).withResponse()
    case 'company':
      return crm.companies.get(id).withResponse()
    case 'deal':
      return crm.deals.get(id).withResponse()
    case 'task':
      return crm.tasks.get(id).withResponse()
    case 'bulk_job':
    case 'export':
    case 'import':
      return { data: null, meta: {} }
  }
}
