import { randomUUID } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { auditChanges, type Caller, type ContactBody, newRow, shown } from './contact.ts'
import type { Row } from './transaction.ts'

/** The rows that a batch writes and its answer, from its items and the rows that already have their keys. */
export function prepareBatch(items: readonly ContactBody[], known: readonly Row[], caller: Caller) {
  const { organizationId, applicationId, idempotencyKey } = caller
  const now = new Date().toISOString()
  const found = new Map(known.map(row => [row.external_id, row]))
  const facts = { requestId: randomUUID(), transactionId: uuidv7() }
  const made: Row[] = []
  const changed: Row[] = []
  const audit: Row[] = []
  const events: Row[] = []
  const data = items.map(item => {
    const before = found.get(item.externalId) ?? null
    const after = before === null ? newRow(item, caller, now) : nextRow(before, item, now)
    if (before === null) made.push(after)
    else changed.push({ ...after, version: item.expectedVersion })
    audit.push(auditEntry(item, before, after, caller, facts.requestId, now))
    events.push({ ordinal: events.length, ...event(before, after), ...snake(facts) })
    return 'search_names' in after ? shown(after) : after
  })
  const answer = JSON.stringify({ data })
  const lists = [made, changed, audit, events].map(rows => JSON.stringify(rows))
  const persons = data.map(({ id }) => id)
  const values = [organizationId, applicationId, now, ...lists, events.length, idempotencyKey, answer, persons]
  return { values, answer, changed: changed.length }
}

/** A row after a change of its job title and description. */
export function nextRow(before: Row, { jobTitle, description }: ContactBody, now: string) {
  const facts = { job_title: jobTitle, description, updated_at: now }
  return { ...before, ...facts, id: String(before.id), version: Number(before.version) + 1 }
}

function auditEntry(
  item: ContactBody,
  before: Row | null,
  after: { id: string; version: number },
  caller: Caller,
  requestId: string,
  now: string,
): Row {
  return {
    organization_id: caller.organizationId,
    id: uuidv7(),
    occurred_at: now,
    resource_type: 'contact',
    resource_id: after.id,
    action: before === null ? 'contact.created' : 'contact.updated',
    application_id: caller.applicationId,
    actor_type: 'application',
    request_id: requestId,
    version_before: before?.version ?? null,
    version_after: after.version,
    changes: auditChanges(item, before),
    overwrite: false,
  }
}

function event(before: Row | null, { id, version }: { id: string; version: number }): Row {
  const operation = before === null ? 'created' : 'updated'
  const changed_fields = before === null ? [] : ['jobTitle', 'description']
  return { id: uuidv7(), kind: `contact.${operation}`, resource_id: id, operation, version, changed_fields }
}

function snake({ requestId, transactionId }: { requestId: string; transactionId: string }): Row {
  return { request_id: requestId, transaction_id: transactionId }
}
