import {
  bounds,
  defineRecordJob,
  defineUpkeep,
  endJobRecord,
  findJobRecord,
  type JobContext,
  type JobEnding,
  type JobSurroundings,
  limits,
  mutate,
  organizationsWith,
  queueMissing,
  type WriteContext,
} from '../../../kernel/index.ts'
import { CommitUncertain, failureOf } from '../../../kernel/sql/index.ts'
import { type ImportRow, importRecord } from '../import.ts'
import { type ImportUndo, importUndoRecord, undoActor } from './import-undo.ts'
import { endedRows, undoChunk } from './undo-chunk.ts'
import { endOfEntries } from './undoable.rules.ts'

/**
 * Takes an import back, step by step (contract section 4). The steps of a chunk are committed together with the position of the undo, so a
 * crash loses nothing and repeats nothing.
 */
export const importUndoJob = defineRecordJob(importUndoRecord, {
  payload: 'undoId',
  async run(id, context) {
    // The most steps of a chunk after one has failed.
    let few = Number.POSITIVE_INFINITY
    do {
      const found = await findUnfinished(id, context)
      if (found === null) return 'done'
      if (endOfEntries(found.row, context.services.retention.auditEntries) <= context.services.clock.now()) {
        await end(found, { status: 'failed', failure: expired }, context)
        return 'done'
      }
      const most = Math.min(few, context.pace.partOf(limits.batchItems))
      if (!(await goOn(found, most, context))) few = 1
      await context.pace.rest()
    } while (!context.signal.aborted && performance.now() < context.turnEnds)
    return 'again'
  },
  async giveUp(id, context) {
    const found = await findUnfinished(id, context)
    if (found !== null) await end(found, { status: 'failed', failure: givenUp }, context)
  },
  async cancel(id, context) {
    const found = await findUnfinished(id, context)
    if (found !== null) await end(found, { status: 'canceled', failure: null }, context)
  },
})

const expired = { code: 'expired', message: 'Audit entries of the import are kept no more; what was undone stays' }
const givenUp = {
  code: 'internal_error',
  message: 'The undo was given up after several attempts; what was undone stays',
}

/** An undo and its import. */
interface Found {
  readonly undo: ImportUndo
  readonly row: ImportRow
}

/** The undo, if there is work to do. */
async function findUnfinished(id: string, surroundings: JobSurroundings): Promise<Found | null> {
  const undo = await findJobRecord(importUndoRecord, id, surroundings)
  if (undo === null || undo.finishedAt !== null) return null
  const row = await findJobRecord(importRecord, undo.importId, surroundings)
  return row === null ? null : { undo, row }
}

/**
 * Takes back the next steps; resolves to false if they throw an error, and have to be taken one by one. A single step that throws again is
 * passed over. Transient errors, such as a lost connection, are rethrown.
 */
async function goOn({ undo, row }: Found, most: number, context: JobContext): Promise<boolean> {
  const { organizationId, services } = context
  const actor = undoActor(organizationId, row)
  try {
    await mutate(undoChunk({ undo, row, most, kinds: services }), actor, services)
    return true
  } catch (error) {
    if (error instanceof CommitUncertain || failureOf(error) !== 'broken') throw error
    services.onFailure(error, { job: importUndoRecord.kind, jobId: undo.id, steps: most })
    if (most === 1) await mutate(undoChunk({ undo, row, most, failed: true, kinds: services }), actor, services)
    return false
  }
}

function end({ undo, row }: Found, { status, failure }: JobEnding, surroundings: JobSurroundings): Promise<void> {
  const { organizationId, services } = surroundings
  const ending = (now: ImportUndo, write: WriteContext) => ({
    rows: endedRows(now, status, failure === null ? null : { ...failure }, write),
  })
  return endJobRecord(importUndoRecord, undo.id, ending, undoActor(organizationId, row), services)
}

const organizationsWithUndos = organizationsWith(importUndoRecord.table)

/** Queues undos again that have no job, as in an organization that was imported from a file. They are removed with their imports. */
export const importUndosUpkeep = defineUpkeep({
  name: 'undos of imports',
  async run(services, signal) {
    for await (const id of organizationsWithUndos(services.database, signal))
      await queueMissing(importUndoRecord, importUndoJob, bounds.organizationImports.most, id, services)
    return { removed: {} }
  },
})
