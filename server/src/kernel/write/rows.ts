import { atOnce } from '../admission/index.ts'
import {
  isAnonymized,
  type RecordState,
  type Replacement,
  type Resource,
  type RowChange,
  recordRows,
  type WriteContext,
} from '../record/index.ts'
import { writeBehind } from './decide.ts'
import { auditRow, changedFields, changeRow, settingAuditRows } from './facts.ts'
import { allKeysOf } from './load.ts'
import { changeKeys, externalKeys, lastChanges } from './tables.ts'
import type { Effect, WorkingSet } from './working-set.ts'

/** The rows and change events that decisions write. */
export interface Written {
  readonly rows: RowChange[]
  readonly events: Record<string, unknown>[]
}

/** All rows that the decided steps of a transaction write: the changed records, audit entries and change events. */
export function rowsOf(work: WorkingSet, write: WriteContext): Written {
  const { rows, events } = atOnce(tracesInSteps(work, write))
  return { rows: [...atOnce(stateRowsInSteps(work, write)), ...rows], events }
}

/** One row for each changed record, and the differences of its links and keys; yields after each record. */
export function* stateRowsInSteps(work: WorkingSet, write: WriteContext): Generator<unknown, RowChange[]> {
  const effectsOf = effectsByRecord(work)
  const rows: RowChange[] = []
  for (const { resource, before, current } of work.changed()) {
    const effects = effectsOf.get((before ?? current)?.id ?? '') ?? []
    rows.push(...recordRows(resource, before, current))
    rows.push(...keyRows(resource, before, current, effects, work, write))
    rows.push(...lastChangeRows(resource, before, current))
    yield
  }
  return rows
}

/**
 * The traces of the steps of one request, yielding after each: an audit entry and, for synchronized records, a change event, and the rows
 * beside the records. A step of settings writes no change event, but an audit entry for each changed setting.
 */
export function* tracesInSteps(work: WorkingSet, write: WriteContext): Generator<unknown, Written> {
  const rows: RowChange[] = []
  let effectsOf: Map<string, Effect[]> | undefined
  for (const { resource, before, current } of work.changedHere()) {
    if (resource.rules.sideRows === undefined) continue
    effectsOf ??= effectsByRecord(work)
    const effects = effectsOf.get((before ?? current)?.id ?? '') ?? []
    const steps = effects.flatMap(({ nested = [] }) => nested)
    rows.push(...resource.rules.sideRows(before, current, at(current ?? before), steps, mergedParties(effects)))
  }
  const events: Record<string, unknown>[] = []
  for (const effect of work.effects) {
    if (effect.resource.isSetting) {
      rows.push(...settingAuditRows(effect, write))
      continue
    }
    const changed = changedFields(effect.resource, effect)
    const told = at(effect.after ?? effect.before)
    rows.push(auditRow(effect, changed, told))
    if (effect.resource.conventions.synchronizes) events.push(changeRow(effect, changed, told))
    yield
  }
  return { rows, events }

  /** Events and entries of a record have its time, so that they stay in order even if the clock has gone back. */
  function at(record: RecordState | null): WriteContext {
    return record === null ? write : writeBehind(record, write)
  }
}

/** Moves the record to the place of its last change in that order. A record that no list shows has no place. */
function lastChangeRows(resource: Resource, before: RecordState | null, after: RecordState | null): RowChange[] {
  if (!resource.isSynchronized) return []
  const [from, to] = [placeOf(before), placeOf(after)]
  if (from === to) return []
  const row = (time: string) => ({ kind: resource.kind, updated_at: time, resource_id: (after ?? before)?.id })
  return [
    ...(from === null ? [] : [{ table: lastChanges, operation: 'delete' as const, row: row(from) }]),
    ...(to === null ? [] : [{ table: lastChanges, operation: 'insert' as const, row: row(to) }]),
  ]

  function placeOf(record: RecordState | null): string | null {
    return record === null || isAnonymized(resource, record) ? null : record.updatedAt
  }
}

/** The steps of each record in this transaction, by its id. */
function effectsByRecord(work: WorkingSet): Map<string, Effect[]> {
  const effects = new Map<string, Effect[]>()
  for (const effect of work.effects) {
    const id = (effect.after ?? effect.before)?.id ?? ''
    const known = effects.get(id)
    if (known === undefined) effects.set(id, [effect])
    else known.push(effect)
  }
  return effects
}

/** The merges that changed references of the record itself. */
function mergedParties(effects: readonly Effect[]): Replacement[] {
  return effects.flatMap(({ resource, before, after, replaced }) => {
    if (replaced === undefined || replaced.other === null || before === null || after === null) return []
    const own = resource.references.some(({ name }) => before[name] !== after[name])
    return own ? [replaced] : []
  })
}

function keyRows(
  resource: Resource,
  before: RecordState | null,
  after: RecordState | null,
  effects: readonly Effect[],
  work: WorkingSet,
  write: WriteContext,
): RowChange[] {
  const isErased = after !== null && isAnonymized(resource, after)
  if (before !== null && (after === null || (isErased && !isAnonymized(resource, before)))) {
    const mergedInto = effects.find(({ mergedIntoId }) => mergedIntoId !== undefined)?.mergedIntoId
    if (mergedInto !== undefined) return mergedKeyRows(resource, before.id, mergedInto, work, write)
    const isFreed = effects.some(({ freesKeys }) => freesKeys === true)
    return removedKeys(resource, before, isFreed ? null : after === null ? 'deleted' : 'anonymized', work, write)
  }
  // The keys of a merge are moved together with the removal of the secondary, so the primary writes none.
  if (after === null || effects.some(({ mergedFromId }) => mergedFromId !== undefined)) return []
  const previous = before?.externalId ?? null
  if (previous === after.externalId) return []
  const mapping = { application_id: write.applicationId, kind: resource.kind, gone: false }
  const rows: RowChange[] = []
  if (previous !== null) rows.push({ table: externalKeys, operation: 'delete', row: { key: previous, ...mapping } })
  if (after.externalId !== null) {
    const row = { key: after.externalId, resource_id: after.id, changed_at: write.now, ...mapping }
    rows.push({ table: externalKeys, operation: 'insert', row })
  }
  return rows
}

/**
 * Turns all keys that applications have for a removed or anonymized record into tombstones; without a reason the keys become free. Change
 * events of companies and deals keep the key; those of an erased person do not.
 */
function removedKeys(
  resource: Resource,
  before: RecordState,
  reason: 'deleted' | 'anonymized' | null,
  work: WorkingSet,
  write: WriteContext,
): RowChange[] {
  return work.read(allKeysOf(before.id)).flatMap(({ applicationId, key }) => {
    const removed =
      reason === null
        ? [freedKeyRow(resource.kind, applicationId, key)]
        : goneKeyRows(resource.kind, before.id, applicationId, key, reason, write)
    // Settings have no change events.
    if (resource.personal || resource.isSetting) return removed
    const row = { application_id: applicationId, resource_id: before.id, key, removed_at: write.now }
    return [...removed, { table: changeKeys, operation: 'insert', row }]
  })
}

function freedKeyRow(kind: string, applicationId: string, key: string): RowChange {
  return { table: externalKeys, operation: 'delete', row: { application_id: applicationId, kind, gone: false, key } }
}

/**
 * Moves the keys of a merged record to the other record. A key becomes a tombstone if the other record has a key of the same application.
 * Change events of the merged record keep its keys.
 */
function mergedKeyRows(
  { kind }: Resource,
  id: string,
  intoId: string,
  work: WorkingSet,
  write: WriteContext,
): RowChange[] {
  const keyed = new Set(work.read(allKeysOf(intoId)).map(({ applicationId }) => applicationId))
  return work.read(allKeysOf(id)).flatMap(({ applicationId, key }) => {
    const event = { application_id: applicationId, resource_id: id, key, removed_at: write.now }
    const moved = { application_id: applicationId, kind, gone: false, key, resource_id: intoId, changed_at: write.now }
    const rows: RowChange[] = keyed.has(applicationId)
      ? goneKeyRows(kind, id, applicationId, key, 'merged', write)
      : [{ table: externalKeys, operation: 'update', row: moved }]
    return [...rows, { table: changeKeys, operation: 'insert', row: event }]
  })
}

/** Replaces a live key by its tombstone. */
function goneKeyRows(
  kind: string,
  resourceId: string,
  applicationId: string,
  key: string,
  reason: 'deleted' | 'merged' | 'anonymized',
  write: WriteContext,
): RowChange[] {
  const tombstone = { application_id: applicationId, kind, gone: true, key: write.goneKey(key) }
  return [
    freedKeyRow(kind, applicationId, key),
    {
      table: externalKeys,
      operation: 'insert',
      row: { ...tombstone, resource_id: resourceId, reason, changed_at: write.now },
    },
  ]
}

/** A record whose data an answer contains. */
export interface Shown {
  readonly resource: Resource
  readonly record: RecordState
}

/**
 * Ids of the persons in an answer: records of persons, persons to whom a nested record belongs, and persons about whom one holds personal
 * data.
 */
export function personsIn(shown: readonly Shown[]): string[] {
  const ids = new Set<unknown>()
  for (const { resource, record } of shown) {
    const { personal, parent, references } = resource
    if (personal) ids.add(record.id)
    else if (parent?.resource.personal) ids.add(record[parent.member])
    else if (parent !== null && tellsOfPersons(resource))
      for (const id of references.flatMap(({ name }) => record[name])) ids.add(id)
  }
  return [...ids].filter(id => typeof id === 'string')
}

function tellsOfPersons({ fields }: Resource): boolean {
  return Object.values(fields).some(({ personal }) => personal)
}
