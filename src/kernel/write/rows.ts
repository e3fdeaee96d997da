import { recordRows } from '../resource/record.ts'
import type { NestedStep, RecordState, Resource, WriteContext } from '../resource/resource.ts'
import { auditRow, changedFields, changeRow } from './facts.ts'
import { allKeys } from './load.ts'
import type { RowChange } from './table.ts'
import { changeKeys, externalKeys } from './tables.ts'
import type { Effect, WorkingSet } from './working-set.ts'

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
    const id = (before ?? current)?.id
    const merged = effectsOn(work, id).flatMap(({ replaced }) => (replaced?.other ? [replaced] : []))
    rows.push(...(resource.rules.beside?.(before, current, write, stepsIn(work, id), merged) ?? []))
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
function stepsIn(work: WorkingSet, id: string | undefined): NestedStep[] {
  return effectsOn(work, id).flatMap(({ nested = [] }) => nested)
}

function effectsOn(work: WorkingSet, id: string | undefined): Effect[] {
  return work.effects.filter(({ before, after }) => (after ?? before)?.id === id)
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
  // A merge moves keys as they are: those of the secondary are told beside that.
  if (after === null || work.effects.some(({ mergedFromId, after: kept }) => mergedFromId && kept?.id === after.id))
    return []
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
  const mergedInto = work.effects.find(effect => effect.before?.id === before.id)?.mergedIntoId
  if (mergedInto !== undefined) return mergedKeyRows(resource, before.id, mergedInto, work, write)
  return held.flatMap(({ application_id, key }) => {
    const tombstone = goneKeyRows(resource.kind, before.id, String(application_id), String(key), reason, write)
    if (resource.personal) return tombstone
    const row = { application_id, resource_id: before.id, key, removed_at: write.now }
    return [...tombstone, { table: changeKeys, operation: 'insert', row }]
  })
}

/**
 * The keys of a merged record address the other one, each where that has none of the same application; otherwise they
 * become tombstones. The merged record's events go on carrying them.
 */
function mergedKeyRows(
  { kind }: Resource,
  id: string,
  intoId: string,
  work: WorkingSet,
  write: WriteContext,
): RowChange[] {
  const keys = work.extra(allKeys)
  const keyed = new Set(keys.filter(row => row.resource_id === intoId).map(row => row.application_id))
  return keys
    .filter(row => row.resource_id === id)
    .flatMap(({ application_id, key }) => {
      const event = { application_id, resource_id: id, key, removed_at: write.now }
      const moved = { application_id, kind, gone: false, key, resource_id: intoId, changed_at: write.now }
      const rows: RowChange[] = keyed.has(application_id)
        ? goneKeyRows(kind, id, String(application_id), String(key), 'merged', write)
        : [{ table: externalKeys, operation: 'update', row: moved }]
      return [...rows, { table: changeKeys, operation: 'insert', row: event }]
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
