import { isObject, type JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Given } from './given.ts'

/** What a write has left behind: change events as the feed shows them, and audit entries as they are stored. */
export interface Facts {
  readonly events: readonly JsonObject[]
  readonly audit: readonly AuditEntry[]
}

export interface AuditEntry {
  readonly resourceType: unknown
  readonly resourceId: unknown
  readonly action: unknown
  readonly versions: readonly [unknown, unknown]
  readonly requestId: unknown
  readonly clientRequestId: unknown
  readonly applicationId: unknown
  readonly changes: readonly JsonObject[]
}

/** Runs a write and collects what it left behind, in order. */
export async function factsOf(given: Given, organization: TestOrganization, write: () => Promise<unknown>) {
  const { client, id } = organization
  const { cursor } = (await client.get('/changes/cursor')).data
  const entries = 'select * from audit_entries where organization_id = $1 order by id'
  const before = await given.sql(entries, [id])
  await write()
  const { items } = await client.get(`/changes?after=${String(cursor)}&limit=100`)
  const known = new Set(before.map(row => row.id))
  const audit = (await given.sql(entries, [id])).filter(row => !known.has(row.id))
  const facts: Facts = {
    events: items,
    audit: audit.map(row => ({
      resourceType: row.resource_type,
      resourceId: row.resource_id,
      action: row.action,
      versions: [numberOf(row.version_before), numberOf(row.version_after)],
      requestId: row.request_id,
      clientRequestId: row.client_request_id,
      applicationId: row.application_id,
      changes: Array.isArray(row.changes) ? row.changes.filter(isObject) : [],
    })),
  }
  return facts
}

export const nothing: Facts = { events: [], audit: [] }

function numberOf(value: unknown): number | null {
  return value === null ? null : Number(value)
}
