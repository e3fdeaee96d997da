import { forgetFile, recordFile } from '../../../kernel/files/index.ts'
import { type JobSurroundings, Lookup, type Mutation, mutate } from '../../../kernel/index.ts'
import { actionRow, jobEventRow, type RowChange } from '../../../kernel/write/index.ts'
import { type ImportRow, type ImportStatus, importActor, importRecord, isImportRow } from '../import.ts'
import { clearImport, importTable } from '../imports.sql.ts'
import { keepReportFiles, type ReportFiles } from './report-files.ts'

/** How an import ends. */
export interface Ending {
  /** The expected position of the import. If the import is elsewhere, another worker has advanced it, and nothing is done. */
  readonly from: readonly ImportStatus[]
  readonly status: 'completed' | 'completed_with_errors' | 'failed' | 'canceled'
  readonly failure?: { readonly code: string; readonly message: string }
}

/**
 * Ends an import: writes its report files, and removes the uploaded file and everything that only the run needed. A dry run of a user keeps
 * the file. Does nothing if the import has already ended.
 */
export async function finishImport(row: ImportRow, ending: Ending, surroundings: JobSurroundings): Promise<void> {
  const { organizationId, services } = surroundings
  const reports = await keepReportFiles(row, surroundings)
  // If this throws, it is unknown whether the files are recorded. The sweep removes a file that is not.
  const locked = Lookup.row(importRecord.lock, [row.id])
  const mutation: Mutation<'ended' | 'unchanged', never> = {
    needs: needs => needs.toLoad(locked),
    decide(work, write) {
      const current = work.read(locked)
      if (!isImportRow(current) || !ending.from.includes(current.status)) return { result: 'unchanged' }
      const { id, file_id: fileId, size_bytes: size } = current
      const isKept = isForStart(current, ending)
      const source = fileId === null || isKept ? [] : [{ organizationId, purpose: 'import', id: fileId } as const]
      return {
        result: 'ended',
        rows: [
          ...endedRows({ ...current, file_id: isKept ? fileId : null }, ending, reports, write.now),
          ...source.map(file => forgetFile({ id: file.id, size })),
          ...noted(current, ending, write),
        ],
        events: [jobEventRow({ resourceType: importRecord.kind, resourceId: id, ...told(ending) }, write)],
        drops: source,
        async sweep(transaction) {
          for (const statement of clearImport) await transaction.query(statement, [organizationId, id])
          return {}
        },
      }
    },
  }
  const end = await mutate(mutation, importActor(organizationId, row), services)
  const unused = [reports.errors, reports.rows].flatMap(file => (file === null || end === 'ended' ? [] : [file]))
  await services.files.discard(unused)
}

function endedRows(row: ImportRow, ending: Ending, { errors, rows }: ReportFiles, now: string): RowChange[] {
  const changed = {
    id: row.id,
    status: ending.status,
    finished_at: now,
    file_id: row.file_id,
    failure: ending.failure ?? null,
    errors_file_id: errors?.id ?? null,
    rows_file_id: rows?.id ?? null,
  }
  const update: RowChange = { table: importTable, operation: 'update', row: changed }
  const kept = [errors, rows].flatMap(file => (file === null ? [] : [recordFile(file, now)]))
  return [update, ...kept]
}

/** Whether the file is kept: a user who has made a dry run starts the import after it. */
function isForStart({ dry_run: isDry, started_by: startedBy }: ImportRow, { status }: Ending): boolean {
  return isDry && startedBy !== null && (status === 'completed' || status === 'completed_with_errors')
}

/** How its event tells the end. */
function told({ status }: Ending) {
  return { status, verb: status === 'completed_with_errors' ? 'completed' : status } as const
}

function noted(row: ImportRow, ending: Ending, write: Parameters<typeof actionRow>[1]): RowChange[] {
  // The audit entry of the request already says who canceled.
  if (ending.status === 'canceled') return []
  const { verb } = told(ending)
  return [actionRow({ resourceType: 'import', resourceId: row.id, action: `import.${verb}`, version: null }, write)]
}
