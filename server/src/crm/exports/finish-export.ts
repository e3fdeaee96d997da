import { forgetFile, recordFile } from '../../kernel/files/index.ts'
import {
  bounds,
  byApplication,
  type Decision,
  type JobContext,
  mutate,
  Refusal,
  unattended,
  type WriteContext,
  type Writer,
} from '../../kernel/index.ts'
import { newId } from '../../kernel/schema/index.ts'
import { actionRow, erasuresIn, needErasures, type RowChange, type WorkingSet } from '../../kernel/write/index.ts'
import type { Export } from './export.ts'
import { exportTable, lockExport, selectKept } from './exports.sql.ts'
import { rowsOfTypes } from './types.ts'
import type { WrittenFile } from './write-file.ts'

/** How long files are kept (contract section 10.2). */
const keptMilliseconds = 7 * 86_400_000

interface Finished {
  readonly asked: Export
  readonly runId: string
  readonly written: WrittenFile
}

type Surroundings = Pick<JobContext, 'organizationId' | 'services'>

/**
 * Lets the file of an attempt count. `lost`: another attempt has taken the export over, or it is finished. `outdated`: a person was
 * erased since the moment that the file shows, so it has to be written anew; after too often the export fails.
 */
export async function completeExport(
  { asked, runId, written }: Finished,
  { organizationId, services }: Surroundings,
): Promise<'completed' | 'lost' | 'outdated'> {
  const { tellsOfPersons } = rowsOfTypes(services)[asked.type]
  const outcome = await mutate(
    {
      needs(needs) {
        needs.toLoad([
          { name: 'export', statement: lockExport, values: [asked.id] },
          ...(tellsOfPersons ? needErasures(organizationId) : []),
          { name: 'kept', statement: selectKept, values: [] },
        ])
      },
      decide(work, write) {
        const [current] = work.extra('export')
        if (current?.run_id !== runId || current.status !== 'running') return done('lost')
        if (tellsOfPersons && erasuresIn(work) !== written.erasures)
          return outdated(asked, Number(current.restarts), write)
        return { ...done('completed'), rows: completedRows(asked, written, tellsOfPersons, work, write) }
      },
    },
    writerOf(organizationId, asked.applicationId),
    services,
  )
  if (outcome instanceof Refusal) throw new Error(`the end of an export was refused: ${outcome.message}`)
  return outcome.data === 'lost' || outcome.data === 'outdated' ? outcome.data : 'completed'
}

const done = (data: 'completed' | 'lost' | 'outdated' | 'failed'): Decision => ({
  status: 200,
  data,
  meta: {},
  shown: [],
})

function completedRows(
  { id, fileName }: Export,
  { file, rows }: WrittenFile,
  tellsOfPersons: boolean,
  work: WorkingSet,
  write: WriteContext,
): RowChange[] {
  const recorded = recordFile(file, write.now)
  const row = {
    id,
    status: 'completed',
    rows_written: rows,
    rows_total: rows,
    file_name: fileName,
    file_id: file.id,
    size_bytes: file.size,
    sha256: file.sha256,
    finished_at: write.now,
    expires_at: new Date(Date.parse(write.now) + keptMilliseconds).toISOString(),
  }
  return [
    ...(tellsOfPersons ? [{ ...recorded, row: { ...recorded.row, holds_persons: true } }] : [recorded]),
    { table: exportTable, operation: 'update', row },
    ...supplanted(file.size, work, write),
    endRow(id, 'export.completed', write),
  ]
}

/** The oldest files go where the new one would make them too many bytes. */
function supplanted(size: number, work: WorkingSet, write: WriteContext): RowChange[] {
  const kept = work.extra('kept')
  let excess = kept.reduce((sum, row) => sum + Number(row.size_bytes), size) - bounds.organizationExportBytes.most
  return kept.flatMap((row): RowChange[] => {
    if (excess <= 0) return []
    excess -= Number(row.size_bytes)
    const expired = { id: String(row.id), status: 'expired', expires_at: write.now }
    return [
      { table: exportTable, operation: 'update', row: expired },
      forgetFile({ organizationId: write.organizationId, purpose: 'export', id: String(row.file_id) }),
    ]
  })
}

function outdated({ id }: Export, restarts: number, write: WriteContext): Decision {
  if (restarts >= bounds.exportRestarts.most) {
    const message = 'Persons were erased each time while the file was written: ask for it again when no more are'
    return { ...done('lost'), rows: failedRows(id, { code: 'persons_erased', message }, write) }
  }
  const row = { id, restarts: restarts + 1 }
  return { ...done('outdated'), rows: [{ table: exportTable, operation: 'update', row }] }
}

export interface Failure {
  readonly code: string
  readonly message: string
}

/** Marks an export failed. Does nothing if it is finished, or gone. */
export async function failExport(
  exportId: string,
  failure: Failure,
  { organizationId, services }: Surroundings,
): Promise<void> {
  await mutate(
    {
      needs(needs) {
        needs.toLoad([{ name: 'export', statement: lockExport, values: [exportId] }])
      },
      decide(work, write) {
        const [current] = work.extra('export')
        const isUnfinished = current?.status === 'queued' || current?.status === 'running'
        return { ...done('failed'), rows: isUnfinished ? failedRows(exportId, failure, write) : [] }
      },
    },
    writerOf(organizationId, null),
    services,
  )
}

function failedRows(id: string, { code, message }: Failure, write: WriteContext): RowChange[] {
  const row = { id, status: 'failed', finished_at: write.now, failure_code: code, failure_message: message }
  return [{ table: exportTable, operation: 'update', row }, endRow(id, 'export.failed', write)]
}

/** The audit entry of the end of an export. */
function endRow(id: string, action: string, write: WriteContext): RowChange {
  return actionRow({ resourceType: 'export', resourceId: id, action, version: null }, write)
}

/** Writes what becomes of an export, for the application that asked for it. */
function writerOf(organizationId: string, applicationId: string | null): Writer {
  return {
    organizationId,
    author: { ...byApplication, ...(applicationId === null ? { type: 'system' } : {}) },
    applicationId,
    requestId: newId(),
    clientRequestId: null,
    idempotency: null,
    managesCustomFields: false,
    reader: unattended(organizationId),
  }
}
