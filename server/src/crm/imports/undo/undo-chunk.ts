import {
  type AuditedStep,
  bounds,
  type Kinds,
  Lookup,
  type Mutation,
  StepsToTakeBack,
  stepCount,
  stepsBefore,
  sweepTakenBack,
  type TakenStep,
  type WriteContext,
} from '../../../kernel/index.ts'
import { actionRow, type RowChange, type WorkingSet } from '../../../kernel/write/index.ts'
import type { ImportRow } from '../import.ts'
import { type ImportUndo, importUndoRecord, importUndos } from './import-undo.ts'
import { keptRows } from './kept-records.ts'
import { keptAmong } from './undo.sql.ts'

/** The next steps of an import to take back. */
export interface UndoChunk {
  readonly row: ImportRow
  readonly undo: ImportUndo
  /** The most steps. */
  readonly most: number
  /** Set if the server has failed on these steps: they are passed over and listed. */
  readonly failed?: true
  readonly kinds: Kinds
}

/**
 * Takes back the next steps of an import, the latest first, and records how far the undo has come in the same transaction. Does nothing if
 * the undo has gone on or ended meanwhile.
 */
export function undoChunk({ row, undo, most, failed, kinds }: UndoChunk): Mutation<null, never> {
  const since = row.started_at ?? row.created_at
  const job = { jobId: row.id, startedAt: Date.parse(since) }
  const locked = new Lookup(importUndoRecord.lock, [undo.id], ([found]) =>
    found === undefined ? null : importUndoRecord.read(found),
  )
  const page = stepsBefore(job, undo.position, { steps: most, bytes: bounds.undoChunk.most })
  const count = stepCount(job)
  let taking = new StepsToTakeBack([], job, kinds)
  const isCurrent = (work: WorkingSet) => {
    const now = work.read(locked)
    return now !== null && now.finishedAt === null && now.position === undo.position
  }
  return {
    needs(needs, work, configuration) {
      needs.toLoad(locked, page, ...(undo.total === null ? [count] : []))
      const steps = isCurrent(work) ? work.read(page) : []
      if (steps.length === 0) return
      needs.toLoad(keptAmong(undo.id, idsOf(steps)))
      taking = new StepsToTakeBack(steps, job, kinds)
      if (!failed) taking.needs(needs, work, configuration)
    },
    *decide(work, write) {
      if (!isCurrent(work)) return { result: null }
      const steps = work.read(page)
      const last = steps.at(-1)
      if (last === undefined) return { result: null, rows: endedRows(undo, 'completed', null, write) }
      const taken = failed ? steps.map(passedOver) : yield* taking.decide(work, write)
      const kept = keptRows(undo.id, taken, work.read(keptAmong(undo.id, idsOf(steps))))
      const changed = {
        status: 'running',
        position: last.id,
        total: undo.total ?? work.read(count),
        done: undo.done + taken.length,
        removed: undo.removed + taken.filter(({ done }) => done === 'removed').length,
        restored: undo.restored + taken.filter(({ done }) => done === 'restored').length,
        kept: undo.kept + kept.filter(({ operation }) => operation === 'insert').length,
        started_at: undo.startedAt ?? write.now,
      }
      const persons = personsIn(taken, kinds)
      return {
        result: null,
        rows: [{ table: importUndos, operation: 'update', row: { id: undo.id, ...changed } }, ...kept],
        ...(persons.length === 0
          ? {}
          : { sweep: transaction => sweepTakenBack(transaction, write.organizationId, persons, since) }),
      }
    },
  }
}

function idsOf(steps: readonly AuditedStep[]): string[] {
  return [...new Set(steps.map(({ recordId }) => recordId))]
}

const passedOver = (step: AuditedStep): TakenStep => ({ step, done: null, kept: { reason: 'failed', fields: [] } })

/** Ids of the removed records of persons. */
function personsIn(taken: readonly TakenStep[], { resources }: Kinds): string[] {
  const personal = new Set(resources.filter(resource => resource.personal).map(({ kind }) => kind))
  return taken.flatMap(({ step, done }) => (done === 'removed' && personal.has(step.kind) ? step.recordId : []))
}

const actions = { completed: 'import.undone', failed: 'import.undo_failed', canceled: 'import.undo_canceled' } as const

/** The rows of an undo that ends. */
export function endedRows(
  { id, importId }: ImportUndo,
  status: keyof typeof actions,
  failure: ImportUndo['failure'],
  write: WriteContext,
): RowChange[] {
  const ended = { id, status, finished_at: write.now, failure }
  const noted = { resourceType: 'import', resourceId: importId, action: actions[status], version: null }
  return [{ table: importUndos, operation: 'update', row: ended }, actionRow(noted, write)]
}
