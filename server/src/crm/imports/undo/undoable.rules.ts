import { type Refusal, violates } from '../../../kernel/schema/index.ts'

export const undoStatuses = ['queued', 'running', 'completed', 'canceled', 'failed'] as const
export type UndoStatus = (typeof undoStatuses)[number]

const dayMilliseconds = 86_400_000
const undoMilliseconds = 30 * dayMilliseconds

/** What decides whether an import can be undone. */
export interface UndoableImport {
  readonly status: string
  readonly dry_run: boolean
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly undo: { readonly status: UndoStatus } | null
}

/** The time of a question in milliseconds, and for how many seconds audit entries are kept. */
export interface UndoTimes {
  readonly now: number
  readonly auditSeconds: number
}

/** Until when an import can be undone; null if it cannot, or already is. */
export function undoableUntil(row: UndoableImport, times: UndoTimes): string | null {
  const isLeft = row.undo === null || row.undo.status === 'canceled' || row.undo.status === 'failed'
  const until = endOfUndo(row, times)
  if (!isLeft || until === null || refuseUndo(row, times) !== null) return null
  return new Date(until).toISOString()
}

/** 422: the import cannot be undone. */
export function refuseUndo(row: UndoableImport, times: UndoTimes): Refusal | null {
  const { status, dry_run: isDry, started_at: startedAt, finished_at: finishedAt } = row
  if (finishedAt === null) {
    return violates('', 'status', `An import that is ${status} cannot be undone: cancel it first`, { status })
  }
  if (isDry) return violates('', 'dry_run', 'A dry run has changed nothing')
  if (startedAt === null) return violates('', 'status', 'The import has changed nothing', { status })
  const until = endOfUndo(row, times)
  if (until !== null && times.now < until) return null
  const message = 'An import can be undone for 30 days, and no longer than audit entries are kept'
  return violates('', 'expired', message, { until: until === null ? null : new Date(until).toISOString() })
}

/** The time after which audit entries of the import are missing: its first ones tell how to undo it. */
export function endOfEntries(
  { started_at: startedAt }: Pick<UndoableImport, 'started_at'>,
  auditSeconds: number,
): number {
  return startedAt === null ? 0 : Date.parse(startedAt) + auditSeconds * 1000
}

function endOfUndo(row: UndoableImport, { auditSeconds }: UndoTimes): number | null {
  if (row.started_at === null || row.finished_at === null) return null
  return Math.min(Date.parse(row.finished_at) + undoMilliseconds, endOfEntries(row, auditSeconds))
}
