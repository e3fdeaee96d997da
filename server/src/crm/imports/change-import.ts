import { forgetFile } from '../../kernel/files/index.ts'
import {
  type Decision,
  Lookup,
  mutate,
  notFound,
  type OwnRefusal,
  type Request,
  type Services,
  type Swept,
  type WriteContext,
} from '../../kernel/index.ts'
import { Refusal, violates } from '../../kernel/schema/index.ts'
import { DecideAgain, type Row, type Transaction } from '../../kernel/sql/index.ts'
import {
  type ImportRow,
  type ImportStatus,
  importRecord,
  isImportRow,
  isRehearsed,
  noCounters,
  toStoredAnswer,
} from './import.ts'
import { holdSource, importTable, selectReports } from './imports.sql.ts'

/** The members of an import that change, and the rows and jobs that are written with them. */
export interface ImportChange extends Pick<Decision<unknown>, 'rows' | 'events' | 'jobs' | 'drops'> {
  readonly status: number
  readonly changed: Partial<ImportRow>
  /** The answer, if it is not the import itself. */
  readonly data?: unknown
}

/** The refusal for a request that names an unknown import, for the OpenAPI document. */
export const missingImport: OwnRefusal = ['not_found', 'There is no such import.']

/**
 * Changes the import of the request under its lock. `decide` is pure: it returns the change or a refusal. A change that reads the file
 * after a dry run removes what the dry run has left.
 */
export function changeImport(
  { path: { id = '' }, actor }: Request,
  services: Services,
  decide: (row: ImportRow, write: WriteContext) => ImportChange | Refusal,
) {
  const locked = Lookup.row(importRecord.lock, [id])
  const reports = Lookup.rows(selectReports, [id])
  const auditSeconds = services.retention.auditEntries
  return mutate(
    {
      needs(needs, work) {
        needs.toLoad(locked)
        const row = work.read(locked)
        if (isImportRow(row) && isRehearsed(row)) needs.toLoad(reports)
      },
      decide(work, write) {
        const row = work.read(locked)
        if (!isImportRow(row)) return notFound()
        const change = decide(row, write)
        if (change instanceof Refusal) return change
        const isAnew = change.changed.form !== undefined && isRehearsed(row)
        const left = isAnew ? work.read(reports).map(reportOf) : []
        const changed = isAnew ? { ...unstarted, ...change.changed } : change.changed
        const { status, events = [], jobs = [] } = change
        const rows = [...left.map(forgetFile), ...(change.rows ?? [])]
        const drops = [
          ...left.map(({ id, purpose }) => ({ organizationId: actor.organizationId, purpose, id })),
          ...(change.drops ?? []),
        ]
        const { data = toStoredAnswer({ ...row, ...changed }, { now: Date.parse(write.now), auditSeconds }) } = change
        const isChanged = Object.keys(changed).length > 0
        const update = { table: importTable, operation: 'update', row: { id: row.id, ...changed } } as const
        const fileId = changed.form === undefined ? null : row.file_id
        return {
          result: { status, data, tellsOf: [row.id] },
          events,
          jobs,
          drops,
          rows: isChanged ? [update, ...rows] : rows,
          ...(fileId === null ? {} : { sweep: transaction => holdFile(transaction, actor.organizationId, fileId) }),
        }
      },
    },
    actor,
    services,
    answer => answer,
  )
}

/** What a dry run sets, as it is before a start. */
const unstarted = {
  dry_run: false,
  position: 0,
  counters: noCounters,
  created_companies: 0,
  errors: [],
  errors_file_id: null,
  rows_file_id: null,
  started_at: null,
  finished_at: null,
} as const satisfies Partial<ImportRow>

/** A file with the errors or the rows of an import. */
function reportOf({ id, size, purpose }: Row) {
  const known = purpose === 'import_errors' ? ('import_errors' as const) : ('import_rows' as const)
  return { id: String(id), size: Number(size), purpose: known }
}

/**
 * Locks the file: while this transaction waited for the import, the erasure of a person whom the column names mention may have dropped it.
 */
async function holdFile(transaction: Transaction, organizationId: string, fileId: string): Promise<Swept> {
  const [file] = await transaction.query(holdSource, [organizationId, fileId])
  if (file === undefined) throw new DecideAgain('the file of the import was dropped')
  return {}
}

/** 422: the requested change is no longer possible, or not yet. */
export function refuseStatus(status: ImportStatus, what: string): Refusal {
  return violates('', 'status', `An import that is ${status} cannot be ${what}`, { status })
}

/** 422: the file was dropped, because it may have contained data of a person who was erased. */
export function refuseDropped(status: ImportStatus): Refusal {
  return violates('', 'status', 'The file of this import is kept no more: upload it again', { status })
}
