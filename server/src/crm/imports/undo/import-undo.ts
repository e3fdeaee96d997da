import { Actor, afterAllIds, defineJobRecord, type JobProgress } from '../../../kernel/index.ts'
import { isObject, type JsonObject, textOrNull } from '../../../kernel/schema/index.ts'
import type { Row } from '../../../kernel/sql/index.ts'
import { defineTable } from '../../../kernel/write/index.ts'
import type { ImportRow } from '../import.ts'
import { type UndoStatus, undoStatuses } from './undoable.rules.ts'

/** How far an import is taken back. */
export interface ImportUndo {
  readonly id: string
  readonly importId: string
  readonly status: UndoStatus
  /** The audit entry of the last step that was handled: those before it are left. */
  readonly position: string
  /** The number of steps, null until the first ones are handled; and how many were handled. */
  readonly total: number | null
  readonly done: number
  /** How many records were removed, how many steps of other records were taken back, and of how many records something stays. */
  readonly removed: number
  readonly restored: number
  readonly kept: number
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly failure: JsonObject | null
}

function toUndo(row: Row): ImportUndo {
  const status = undoStatuses.find(each => each === row.status)
  if (status === undefined) throw new Error('an undo has no status')
  return {
    id: String(row.id),
    importId: String(row.import_id),
    status,
    position: String(row.position),
    total: row.total === null ? null : Number(row.total),
    done: Number(row.done),
    removed: Number(row.removed),
    restored: Number(row.restored),
    kept: Number(row.kept),
    startedAt: textOrNull(row.started_at),
    finishedAt: textOrNull(row.finished_at),
    failure: isObject(row.failure) ? row.failure : null,
  }
}

/** The undo of an import, which has one at most. */
export const importUndoRecord = defineJobRecord({
  kind: 'import_undo',
  table: 'import_undos',
  columns: `j.id, j.import_id, j.status, j.position, j.total, j.done, j.removed, j.restored, j.kept, j.started_at, j.finished_at,
          j.failure`,
  queued: 'j.finished_at is null',
  ofApplication: false,
  read: toUndo,
  progress: ({ status, startedAt, finishedAt, done, total, removed, restored, kept }): JobProgress => ({
    status,
    startedAt,
    finishedAt,
    counters: { removed, restored, kept },
    done,
    total,
  }),
})

export const importUndos = defineTable('import_undos', ['id'], {
  id: 'uuid',
  import_id: 'uuid',
  status: 'text',
  position: 'uuid',
  total: 'integer',
  done: 'integer',
  removed: 'integer',
  restored: 'integer',
  kept: 'integer',
  created_at: 'timestamptz',
  started_at: 'timestamptz',
  finished_at: 'timestamptz',
  failure: 'jsonb',
})

/** The row of an undo that has just been asked for. */
export function firstUndoRow(id: string, importId: string, now: string) {
  const counters = { position: afterAllIds, total: null, done: 0, removed: 0, restored: 0, kept: 0 }
  return { id, import_id: importId, status: 'queued', ...counters, created_at: now, ...unfinished }
}

/** The columns of an undo that goes on. */
export const unfinished = { started_at: null, finished_at: null, failure: null }

/** The actor of an undo's writes: the keys are those of the application that imported. */
export function undoActor(organizationId: string, row: Pick<ImportRow, 'id' | 'application_id'>): Actor {
  const author = { type: 'system', uuid: null, jobId: row.id } as const
  return Actor.of({ organizationId, author, applicationId: row.application_id })
}
