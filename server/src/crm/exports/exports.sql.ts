import { claimedStatement, statement } from '../../kernel/sql/index.ts'
import { defineTable } from '../../kernel/write/index.ts'

/** The rows of exports that are written together with others. */
export const exportTable = defineTable('exports', ['id'], {
  id: 'uuid',
  application_id: 'uuid',
  token_id: 'text',
  idempotency_key: 'text',
  fingerprint: 'bytea',
  type: 'text',
  csv_safe: 'boolean',
  filters: 'jsonb',
  redacted: 'text[]',
  status: 'text',
  run_id: 'uuid',
  restarts: 'integer',
  rows_written: 'bigint',
  rows_total: 'bigint',
  file_name: 'text',
  file_id: 'uuid',
  size_bytes: 'bigint',
  sha256: 'text',
  created_at: 'timestamptz',
  finished_at: 'timestamptz',
  expires_at: 'timestamptz',
  failure_code: 'text',
  failure_message: 'text',
})

const columns = `e.id, e.application_id, e.token_id, e.type, e.csv_safe, e.filters, e.redacted, e.status, e.restarts, e.rows_written,
          e.rows_total, e.file_name, e.file_id, e.size_bytes, e.sha256, e.created_at, e.started_at, e.finished_at,
          e.expires_at, e.failure_code, e.failure_message,
          exists (select 1 from files f where f.organization_id = $1 and f.id = e.file_id) as has_file`

/** $1 organization, $2 application, $3 id: an export of the application. */
export const selectExport = statement(
  'select_export',
  `select ${columns} from exports e where e.organization_id = $1 and e.id = $3 and e.application_id = $2`,
)

/** $1 organization, $2 id: the export of whichever application. */
export const selectAnyExport = statement(
  'select_any_export',
  `select ${columns} from exports e where e.organization_id = $1 and e.id = $2`,
)

const page = (name: string, condition: string) =>
  statement(
    name,
    `select ${columns} from exports e
    where e.organization_id = $1 and e.application_id = $2${condition}
    order by e.created_at desc, e.id desc limit $3`,
  )

/** $1 organization, $2 application, $3 most rows; of the next page also time and id of the last export before. */
export const selectExports = {
  first: page('list_exports', ''),
  next: page('list_more_exports', ' and (e.created_at, e.id) < ($4, $5)'),
}

/** $1 organization, $2 application, $3 key: the export that a request with this key has made. */
export const selectExportOfKey = claimedStatement(
  'select_export_of_key',
  `select e.id, e.fingerprint, e.status, e.created_at from exports e
    where e.organization_id = $1 and e.application_id = $2 and e.idempotency_key = $3`,
)

/** $1 organization. */
export const countUnfinished = claimedStatement(
  'count_unfinished_exports',
  `select count(*) as unfinished from exports e where e.organization_id = $1 and e.status in ('queued', 'running')`,
)

/**
 * $1 organization, $2 id, $3 id of the attempt, $4 time: an attempt that takes the export over, from the beginning. Gives no row if
 * the export is finished.
 */
export const startExport = statement(
  'start_export',
  `update exports e
      set status = 'running', run_id = $3, started_at = $4, rows_written = 0, rows_total = null
    where e.organization_id = $1 and e.id = $2 and e.status in ('queued', 'running')
  returning ${columns}`,
)

/** $1 organization, $2 id, $3 id of the attempt, $4 rows, $5 all rows: gives no row if another attempt has taken it over. */
export const saveProgress = statement(
  'save_export_progress',
  `update exports e set rows_written = $4, rows_total = $5
    where e.organization_id = $1 and e.id = $2 and e.run_id = $3 and e.status = 'running'
  returning e.id`,
)

/** $1 organization, $2 id: locked, so that nobody else ends the export meanwhile. */
export const lockExport = claimedStatement(
  'lock_export',
  `select e.run_id, e.status, e.restarts from exports e where e.organization_id = $1 and e.id = $2 for no key update`,
)

/** $1 organization: completed exports that have a file, the oldest first. */
export const selectKept = claimedStatement(
  'select_kept_exports',
  `select e.id, e.file_id, e.size_bytes from exports e
    where e.organization_id = $1 and e.status = 'completed'
      and exists (select 1 from files f where f.organization_id = $1 and f.id = e.file_id)
    order by e.expires_at, e.id`,
)
