import { recordRows } from '../resource/record.ts'
import type { NestedStep, RecordState, Resource, WriteContext } from '../resource/resource.ts'
import { auditRow, changedFields, changeRow } from './facts.ts'
import { allKeys } from './load.ts'
import type { RowChange } from './table.ts'
import { changeKeys, externalKeys } from './tables.ts'
import type { WorkingSet } from './working-set.ts'

/**
 * Everything that the decided steps write: each changed record's row once, links and keys as differences, and for each
 * step an audit entry and a change event.
 */
export function rowsOf(
  work: WorkingSet,
  write: WriteContext,
): { rows: RowChange[]; events: Record<string, unknown>[] } {
  const rows: RowChange[] = []
  for (const { resource, before, current } of work.changed()) {
    rows.push(...recordRows(resource, before, current), ...keyRows(resource, before, current, work, write))
    rows.push(...(resource.rules.beside?.(before, current, write, stepsIn(work, before ?? current)) ?? []))
  }
  const events: Record<string, unknown>[] = []
  for (const effect of work.effects) {
    const changed = changedFields(effect.resource, effect)
    rows.push(auditRow(effect, changed, write))
    events.push(changeRow(effect, changed, write))
  }
  return { rows, events }
}

/** Changes of what belongs to a record, over all steps of the transaction. */
function stepsIn(work: WorkingSet, record: RecordState | null): NestedStep[] {
  return work.effects.flatMap(effect =>
    (effect.after ?? effect.before)?.id === record?.id ? (effect.nested ?? []) : [],
  )
}

function keyRows(
  resource: Resource,
  before: RecordState | null,
  after: RecordState | null,
  work: WorkingSet,
  write: WriteContext,
): RowChange[] {
  if (before !== null && (after === null || isErased(before, after))) {
    return removedKeys(resource, before, after === null ? 'deleted' : 'anonymized', work, write)
  }
  if (after === null) return []
  const previous = before?.externalId ?? null
  if (previous === after.externalId) return []
  const mapping = { application_id: write.applicationId, kind: resource.kind, gone: false }
  const rows: RowChange[] = []
  if (previous !== null) rows.push({ table: externalKeys, operation: 'delete', row: { ...mapping, key: previous } })
  if (after.externalId !== null) {
    const row = { ...mapping, key: after.externalId, resource_id: after.id, changed_at: write.now }
    rows.push({ table: externalKeys, operation: 'insert', row })
  }
  return rows
}

function isErased(before: RecordState, after: RecordState): boolean {
  return typeof after.anonymizedAt === 'string' && before.anonymizedAt !== after.anonymizedAt
}

/**
 * The keys that every application has for a removed or anonymized record become gone. Events of companies and deals go on
 * carrying the key; those of an erased person do not.
 */
function removedKeys(
  resource: Resource,
  before: RecordState,
  reason: 'deleted' | 'anonymized',
  work: WorkingSet,
  write: WriteContext,
): RowChange[] {
  const held = work.extra(allKeys).filter(row => row.resource_id === before.id)
  return held.flatMap(({ application_id, key }) => {
    const tombstone = goneKeyRows(resource.kind, before.id, String(application_id), String(key), reason, write)
    if (resource.personal) return tombstone
    const row = { application_id, resource_id: before.id, key, removed_at: write.now }
    return [...tombstone, { table: changeKeys, operation: 'insert', row }]
  })
}

/** Turns one live mapping into what is kept of a removed or anonymized record's key. */
function goneKeyRows(
  kind: string,
  resourceId: string,
  applicationId: string,
  key: string,
  reason: 'deleted' | 'merged' | 'anonymized',
  write: WriteContext,
): RowChange[] {
  const mapping = { application_id: applicationId, kind }
  return [
    { table: externalKeys, operation: 'delete', row: { ...mapping, gone: false, key } },
    {
      table: externalKeys,
      operation: 'insert',
      row: { ...mapping, gone: true, key: write.goneKey(key), resource_id: resourceId, reason, changed_at: write.now },
    },
  ]
}
