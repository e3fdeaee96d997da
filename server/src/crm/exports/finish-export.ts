import { forgetFile, recordFile } from '../../kernel/files/index.ts'
import {
  Actor,
  type Author,
  bounds,
  byApplication,
  cancelJobRecord,
  type Decision,
  endJobRecord,
  endOfErasures,
  erasureCount,
  type JobEnding,
  type JobSurroundings,
  Lookup,
  type Mutation,
  mutate,
  type WriteContext,
} from '../../kernel/index.ts'
import { actionRow, fileUse, jobEventRow, needFileUse, type RowChange } from '../../kernel/write/index.ts'
import { type Export, exportRecord } from './export.ts'
import { exportTable, selectKept } from './exports.sql.ts'
import { rowsOfTypes } from './types.ts'
import type { ExportFile } from './write-file.ts'

/** How long files are kept (contract section 10.2). */
const keptMilliseconds = 7 * 86_400_000

type Completion = 'completed' | 'lost' | 'outdated'

interface Finished {
  readonly asked: Export
  readonly runId: string
  readonly written: ExportFile
}

export type ExportFailure = NonNullable<JobEnding['failure']>

/**
 * Publishes the file of an attempt. `lost`: another attempt has taken over the export, or it is finished. `outdated`: a person was erased
 * after the snapshot of the file, so the file must be written again; after too many restarts the export fails. The export also fails if the
 * organization's file quota has no room for the file even without older exports.
 */
export async function completeExport(
  { asked, runId, written }: Finished,
  { organizationId, services }: JobSurroundings,
): Promise<Completion> {
  const { tellsOfPersons } = rowsOfTypes(services)[asked.type]
  const use = fileUse(written.file.size)
  const locked = Lookup.row(exportRecord.lock, [asked.id])
  const mutation: Mutation<Completion, never> = {
    needs(needs) {
      needFileUse(needs, use)
      needs.toLoad(locked)
      if (tellsOfPersons) needs.toLoad(endOfErasures(organizationId), erasureCount)
      needs.toLoad(keptExports)
    },
    decide(work, write) {
      const current = work.read(locked)
      if (current?.run_id !== runId || current.status !== 'running') return { result: 'lost' }
      if (tellsOfPersons && work.read(erasureCount) !== written.erasures)
        return outdated(asked, Number(current.restarts), write)
      const supplanted = supplantedBy(written.file.size, work.read(keptExports), work.read(use))
      if (supplanted === null) return { result: 'lost', ...failed(asked.id, noQuota, write) }
      return {
        result: 'completed',
        rows: [...completedRows(asked, written, tellsOfPersons, write), ...supplanted.flatMap(expiredRows(write))],
        events: [eventOf(asked.id, 'completed', 'completed', write)],
        drops: supplanted.map(({ fileId: id }) => ({ organizationId, purpose: 'export', id })),
      }
    },
  }
  const { applicationId } = asked
  return mutate(mutation, Actor.of({ organizationId, author: authorOf(asked), applicationId }), services)
}

const noQuota = {
  code: 'quota_exceeded',
  message:
    'The quota of the files of the organization has no room for the file: export fewer records, remove files of knowledge bases, ' +
    'or have an operator of the server raise the quota',
}

function completedRows(
  { id, fileName }: Export,
  { file, rows }: ExportFile,
  tellsOfPersons: boolean,
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
    endRow(id, 'export.completed', write),
  ]
}

/** A completed export whose file is removed early. */
interface Supplanted {
  readonly id: string
  readonly fileId: string
  readonly size: number
}

const keptExports = new Lookup(selectKept, [], (rows): readonly Supplanted[] =>
  rows.map(row => ({ id: String(row.id), fileId: String(row.file_id), size: Number(row.size_bytes) })),
)

/**
 * The oldest exports that must be removed to make room for the new file, so that neither the exports nor all files of the organization
 * exceed their bounds; null if removing all of them would not make enough room.
 */
function supplantedBy(
  size: number,
  kept: readonly Supplanted[],
  { used, quota }: { readonly used: number; readonly quota: number },
): readonly Supplanted[] | null {
  const ofExports = kept.reduce((sum, each) => sum + each.size, size)
  let excess = Math.max(ofExports - bounds.organizationExportBytes.most, used + size - quota)
  const supplanted: Supplanted[] = []
  for (const each of kept) {
    if (excess <= 0) break
    excess -= each.size
    supplanted.push(each)
  }
  return excess > 0 ? null : supplanted
}

const expiredRows =
  (write: WriteContext) =>
  ({ id, fileId, size }: Supplanted): RowChange[] => [
    { table: exportTable, operation: 'update', row: { id, status: 'expired', expires_at: write.now } },
    forgetFile({ id: fileId, size }),
  ]

function outdated({ id }: Export, restarts: number, write: WriteContext): Decision<Completion> {
  if (restarts >= bounds.exportRestarts.most) {
    const message = 'Persons were erased each time while the file was written: ask for it again when no more are'
    return { result: 'lost', ...failed(id, { code: 'persons_erased', message }, write) }
  }
  const row = { id, restarts: restarts + 1 }
  return { result: 'outdated', rows: [{ table: exportTable, operation: 'update', row }] }
}

/** Marks an export as failed. Does nothing if it has ended or is removed. */
export function failExport(id: string, failure: ExportFailure, context: JobSurroundings): Promise<void> {
  const { organizationId, services } = context
  const end = (_: Export, write: WriteContext) => failed(id, failure, write)
  return endJobRecord(exportRecord, id, end, Actor.of({ organizationId, author: bySystem }), services)
}

/** `POST …/exports/{id}/cancel`: there will be no file. */
export const cancelExport = cancelJobRecord({
  record: exportRecord,
  group: 'exports',
  path: '/exports',
  name: 'export',
  scope: 'crm_export_manage',
  end: ({ id }, write) => failed(id, { code: 'canceled', message: 'A user has canceled the export' }, write),
})

/** The end of an export that has failed or was canceled. Its status is `failed` in both cases; the kind of its event differs. */
function failed(
  id: string,
  { code, message }: ExportFailure,
  write: WriteContext,
): Required<Pick<Decision<unknown>, 'rows' | 'events'>> {
  const row = { id, status: 'failed', finished_at: write.now, failure_code: code, failure_message: message }
  return {
    rows: [{ table: exportTable, operation: 'update', row }, endRow(id, 'export.failed', write)],
    events: [eventOf(id, code === 'canceled' ? 'canceled' : 'failed', 'failed', write)],
  }
}

function eventOf(id: string, verb: Parameters<typeof jobEventRow>[0]['verb'], status: string, write: WriteContext) {
  return jobEventRow({ resourceType: exportRecord.kind, resourceId: id, verb, status }, write)
}

/** The audit entry of the end of an export. */
function endRow(id: string, action: string, write: WriteContext): RowChange {
  return actionRow({ resourceType: 'export', resourceId: id, action, version: null }, write)
}

const bySystem: Author = { ...byApplication, type: 'system' }

/** The author of an export that is complete: the application or the user that requested it. */
function authorOf({ startedBy }: Export): Author {
  return startedBy === null ? byApplication : { ...byApplication, type: 'user', uuid: startedBy }
}
