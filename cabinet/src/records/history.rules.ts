import type { FieldDefinition } from './field.ts'
import { fieldsOf } from './fields.ts'
import { type Kind, kindFacts } from './kinds.ts'
import { isObject, type Json, type JsonObject, type RecordState, read, same } from './record.ts'

/** One changed member of an entry; without values where the reader may not see them. */
export interface HistoryChange {
  readonly field: string
  readonly before?: Json
  readonly after?: Json
  readonly redacted?: boolean
}

/** What the folds need of an entry in the history of a record. */
export interface HistoryStep {
  readonly action: string
  readonly versionBefore: number | null
  readonly versionAfter: number | null
  readonly changes: readonly HistoryChange[]
}

/** A record as it was, and the members of which nobody can say what they were: their values are hidden from the reader. */
export interface AsOf {
  readonly record: RecordState
  readonly unknown: ReadonlySet<string>
}

/**
 * The record at a version: what was changed since is taken back, the newest first. `entries` go from the newest to at least the one that
 * made `version`. Members that are no fields of the record itself, such as items of a deal, stay as they are.
 */
export function asOf(record: RecordState, entries: readonly HistoryStep[], version: number): AsOf {
  const state: Record<string, Json> = { ...record }
  const unknown = new Set<string>()
  for (const { changes, versionAfter } of entries) {
    if (versionAfter === null || versionAfter <= version) continue
    for (const { field, before = null, redacted } of changes) {
      if (!Object.hasOwn(record, field)) continue
      if (redacted) unknown.add(field)
      else state[field] = before
    }
  }
  for (const field of unknown) delete state[field]
  return { record: { ...state, id: record.id, version }, unknown }
}

/** How to take a step back: values for an update, a set of tags, or a stage to move to. */
export interface Undo {
  readonly before: ReadonlyMap<string, Json>
  readonly after: ReadonlyMap<string, Json>
  readonly tagIds?: readonly string[]
  readonly stageUuid?: string
}

/** Why a step cannot be taken back. */
export type NoUndo = 'not-an-update' | 'hidden' | 'parts' | 'nothing'

const takesBack = /\.(?:updated|moved|tags_replaced)$/u

/**
 * What takes a step back. Merges, removals and erasures cannot be, nor can what the reader may not see. A step that also changed parts,
 * such as items, is taken back in none of its parts.
 */
export function undoOf(kind: Kind, { action, versionBefore, versionAfter, changes }: HistoryStep): Undo | NoUndo {
  if (!action.startsWith(kindFacts[kind].singular) || !takesBack.test(action)) return 'not-an-update'
  if (versionBefore === null || versionAfter === null) return 'not-an-update'
  if (changes.some(({ redacted }) => redacted)) return 'hidden'
  const [before, after] = [new Map<string, Json>(), new Map<string, Json>()]
  let moves: Pick<Undo, 'tagIds' | 'stageUuid'> = {}
  for (const change of changes) {
    if (change.field === 'tagIds') moves = { ...moves, tagIds: textsOf(change.before) }
    else if (change.field === 'stageUuid') moves = { ...moves, stageUuid: String(change.before) }
    else if (!settledByServer.has(change.field)) {
      const fields = fieldsIn(kind, change.field)
      if (fields.length === 0) return 'parts'
      for (const { path } of fields) {
        const values = [valueAt(change, path, 'before'), valueAt(change, path, 'after')] as const
        if (same(...values)) continue
        before.set(path, values[0])
        after.set(path, values[1])
      }
    }
  }
  const isNothing = before.size === 0 && moves.tagIds === undefined && moves.stageUuid === undefined
  return isNothing ? 'nothing' : { before, after, ...moves }
}

/** Members that follow from others. */
const settledByServer = new Set([
  'displayName',
  'updatedAt',
  'status',
  'rank',
  'pipelineId',
  'stageChangedAt',
  'closedAt',
  'completedAt',
  'itemsTotal',
  'isOverdue',
  'lostReasonCategoryUuid',
  'companies',
  'contacts',
  'updatedByUuid',
])

function fieldsIn(kind: Kind, member: string): readonly FieldDefinition[] {
  const isEdited = ({ form }: FieldDefinition) => form === 'both' || form === 'edit'
  return fieldsOf[kind].filter(field => isEdited(field) && field.path.split('.', 1)[0] === member)
}

function valueAt(change: HistoryChange, path: string, side: 'before' | 'after'): Json {
  const value: JsonObject = { [change.field]: change[side] ?? null }
  return read(value, path) ?? null
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter(element => typeof element === 'string') : []
}

/** The members whose values an entry tells, with those of objects one by one: `contactData` by its lists. */
export function tellingChanges(changes: readonly HistoryChange[]): HistoryChange[] {
  return changes.flatMap((change): HistoryChange[] => {
    const { field, before, after } = change
    if (change.redacted || !isObject(before ?? after)) return [change]
    if (field !== 'contactData' && field !== 'customFields') return [change]
    const [old, next] = [isObject(before) ? before : {}, isObject(after) ? after : {}]
    const members = [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(
      name => !same(old[name], next[name]),
    )
    return members.map(name => ({ field: `${field}.${name}`, before: old[name] ?? null, after: next[name] ?? null }))
  })
}
