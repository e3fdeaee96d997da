import { type FileName, forgetFile, recordFile } from '../../../kernel/files/index.ts'
import { type Decision, type JobSurroundings, mutate, Refusal } from '../../../kernel/index.ts'
import { actionRow, type RowChange } from '../../../kernel/write/index.ts'
import { type ImportRow, type ImportStatus, importRecord, importWriter, isImportRow } from '../import.ts'
import { clearImport, importTable } from '../imports.sql.ts'
import { keepReportFiles, type ReportFiles } from './report-files.ts'

/** How an import ends. */
export interface Ending {
  /** Where it is now; an import that is somewhere else has gone on meanwhile, and is left alone. */
  readonly from: readonly ImportStatus[]
  readonly status: ImportStatus
  readonly failure?: { readonly code: string; readonly message: string }
}

/**
 * Ends an import: writes the files of its errors and rows, and drops what only its run needed and the file that was uploaded. Does
 * nothing if the import has ended already.
 */
export async function finishImport(row: ImportRow, ending: Ending, surroundings: JobSurroundings): Promise<void> {
  const { organizationId, services } = surroundings
  const reports = await keepReportFiles(row, surroundings)
  // If this throws, nobody may know whether the files are recorded. One that is not is swept.
  const outcome = await mutate(
    {
      needs: needs => needs.toLoad([{ name: 'import', statement: importRecord.lock, values: [row.id] }]),
      decide(work, write) {
        const [current] = work.extra('import')
        if (!isImportRow(current) || !ending.from.includes(current.status)) return unchanged
        const file = sourceOf(organizationId, current)
        return {
          ...unchanged,
          data: file,
          rows: [
            ...endedRows(current, ending, reports, write.now),
            ...(file === null ? [] : [forgetFile({ id: file.id, size: current.size_bytes })]),
            ...noted(current, ending, write),
          ],
          async sweep(transaction) {
            for (const statement of clearImport) await transaction.query(statement, [organizationId, current.id])
            return []
          },
        }
      },
    },
    importWriter(organizationId, row),
    services,
  )
  if (outcome instanceof Refusal) throw new Error(`the end of an import was refused: ${outcome.message}`)
  const unused = outcome.data === 'unchanged' ? [reports.errors, reports.rows] : [outcome.data]
  await services.files.discard(unused.filter(isFile))
}

const unchanged: Decision = { status: 200, data: 'unchanged', meta: {}, shown: [] }

function sourceOf(organizationId: string, { file_id: id }: ImportRow): FileName | null {
  return id === null ? null : { organizationId, purpose: 'import', id }
}

function isFile(data: unknown): data is FileName {
  return typeof data === 'object' && data !== null
}

function endedRows(row: ImportRow, ending: Ending, { errors, rows }: ReportFiles, now: string): RowChange[] {
  const changed = {
    id: row.id,
    status: ending.status,
    finished_at: now,
    file_id: null,
    failure: ending.failure ?? null,
    errors_file_id: errors?.id ?? null,
    rows_file_id: rows?.id ?? null,
  }
  const update: RowChange = { table: importTable, operation: 'update', row: changed }
  const kept = [errors, rows].flatMap(file => (file === null ? [] : [recordFile(file, now)]))
  return [update, ...kept]
}

function noted(row: ImportRow, { status }: Ending, write: Parameters<typeof actionRow>[1]): RowChange[] {
  // Who canceled was noted when it was asked for.
  if (status === 'canceled') return []
  const verb = status === 'completed_with_errors' ? 'completed' : status
  return [actionRow({ resourceType: 'import', resourceId: row.id, action: `import.${verb}`, version: null }, write)]
}
