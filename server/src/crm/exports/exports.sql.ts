import { claimedStatement, statement } from '../../kernel/sql/index.ts'
import { defineTable } from '../../kernel/write/index.ts'
import { exportRecord } from './export.ts'

/** The rows of exports that a mutation writes. */
export const exportTable = defineTable('exports', ['id'], {
  id: 'uuid',
  application_id: 'uuid',
  token_id: 'text',
  started_by: 'uuid',
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

/**
 * $1 organization, $2 id, $3 id of the attempt, $4 time: a new attempt takes over the export and starts from the beginning. Returns no row
 * if the export is finished.
 */
export const startExport = statement(
  'start_export',
  `update exports j
      set status = 'running', run_id = $3, started_at = $4, rows_written = 0, rows_total = null
    where j.organization_id = $1 and j.id = $2 and ${exportRecord.queued}
  returning ${exportRecord.columns}`,
)

/** $1 organization, $2 id, $3 id of the attempt, $4 rows, $5 all rows: returns no row if another attempt has taken over the export. */
export const saveProgress = statement(
  'save_export_progress',
  `update exports e set rows_written = $4, rows_total = $5
    where e.organization_id = $1 and e.id = $2 and e.run_id = $3 and e.status = 'running'
  returning e.id`,
)

/** $1 organization: completed exports that have a file, the oldest first. */
export const selectKept = claimedStatement(
  'select_kept_exports',
  `select e.id, e.file_id, e.size_bytes from exports e
    where e.organization_id = $1 and e.status = 'completed'
      and exists (select 1 from files f where f.organization_id = $1 and f.id = e.file_id)
    order by e.expires_at, e.id`,
)
