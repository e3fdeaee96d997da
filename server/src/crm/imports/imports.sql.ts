import { Lookup } from '../../kernel/index.ts'
import { claimedStatement, statement } from '../../kernel/sql/index.ts'
import { defineTable } from '../../kernel/write/index.ts'
import { importRecord } from './import.ts'

/** The rows of imports that a mutation writes. */
export const importTable = defineTable('imports', ['id'], {
  id: 'uuid',
  entity_type: 'text',
  status: 'text',
  file_name: 'text',
  size_bytes: 'integer',
  sha256: 'text',
  file_id: 'uuid',
  form: 'jsonb',
  mapping: 'jsonb',
  columns: 'jsonb',
  dedup_policy: 'jsonb',
  defaults: 'jsonb',
  dry_run: 'boolean',
  options: 'jsonb',
  manages_custom_fields: 'boolean',
  row_count: 'integer',
  position: 'integer',
  counters: 'jsonb',
  created_companies: 'integer',
  errors: 'jsonb',
  errors_file_id: 'uuid',
  rows_file_id: 'uuid',
  failure: 'jsonb',
  application_id: 'uuid',
  token_id: 'text',
  started_by: 'uuid',
  author_type: 'text',
  author_uuid: 'uuid',
  created_at: 'timestamptz',
  started_at: 'timestamptz',
  finished_at: 'timestamptz',
})

export const importErrors = defineTable('import_errors', ['import_id', 'line', 'number'], {
  import_id: 'uuid',
  line: 'integer',
  number: 'integer',
  error: 'jsonb',
})

export const importOutcomes = defineTable('import_outcomes', ['import_id', 'line'], {
  import_id: 'uuid',
  line: 'integer',
  outcomes: 'text',
})

export const importPrimaries = defineTable('import_primaries', ['import_id', 'owner_id'], {
  import_id: 'uuid',
  owner_id: 'uuid',
})

export const importRehearsals = defineTable('import_rehearsals', ['import_id', 'kind', 'id'], {
  import_id: 'uuid',
  kind: 'text',
  id: 'uuid',
  parent_id: 'uuid',
  words: 'text[]',
  state: 'jsonb',
})

/** $1 organization, $2 id: an import, within a mutation. */
export const loadImport = claimedStatement(
  'load_import',
  `select ${importRecord.columns} from imports j where j.organization_id = $1 and j.id = $2`,
)

/**
 * SQL of an import `i` that is the dry run of a user and whose file waits for the start. PostgreSQL may answer `exists` by reading all files
 * of the organization; this looks up one.
 */
const isRehearsed = `(i.dry_run and i.started_by is not null and i.finished_at is not null
            and (select f.id from files f where f.organization_id = $1 and f.id = i.file_id) is not null)`

/** $1 organization: imports whose file is not done with, the oldest first, and whether each waits for a start; their number is bounded. */
export const unfinishedImports = Lookup.rows(
  claimedStatement(
    'select_unfinished_imports',
    `select i.id, i.status in ('uploaded', 'ready') or i.finished_at is not null as waits, i.file_name, i.created_at from imports i
      where i.organization_id = $1
        and (i.status in ('uploaded', 'ready', 'queued', 'running', 'canceling') or ${isRehearsed})
      order by i.created_at, i.id`,
  ),
  [],
)

/** $1 organization, $2 time, $3 the most: dry runs whose file was uploaded before the time and still waits for the start. */
export const selectOldRehearsals = statement(
  'select_old_rehearsals_of_imports',
  `select i.id from imports i
    where i.organization_id = $1 and i.created_at < $2 and ${isRehearsed}
    order by i.created_at, i.id limit $3`,
)

/** $1 organization, $2 import: the files with its errors and its rows. */
export const selectReports = claimedStatement(
  'select_report_files_of_import',
  `select f.id, f.purpose, f.size_bytes as size from imports i
     join files f on f.organization_id = $1 and f.id in (i.errors_file_id, i.rows_file_id)
    where i.organization_id = $1 and i.id = $2 order by f.id`,
)

/** $1 organization, $2 number of the lock: serializes the chunks of all imports of an organization. The lock ends with the transaction. */
export const lockImports = claimedStatement(
  'lock_imports',
  'select pg_advisory_xact_lock($2::bigint) as locked from organizations o where o.id = $1',
)

/**
 * $1 organization, $2 id of the file of an import; returns no row if it was dropped. The lock keeps the file until the transaction ends: an
 * erasure waits for the rows that are being applied.
 */
export const holdSource = statement(
  'hold_source_of_import',
  `select f.id from files f where f.organization_id = $1 and f.id = $2 for key share`,
)

/** $1 organization, $2 import, $3 ids of owners. */
export const selectPrimaries = claimedStatement(
  'select_import_primaries',
  `select p.owner_id as id from import_primaries p
    where p.organization_id = $1 and p.import_id = $2 and p.owner_id = any ($3::uuid[])`,
)

/** $1 organization, $2 import, $3 line, $4 number, $5 most rows: the errors after that one, in the order of the file. */
export const selectErrors = statement(
  'select_import_errors',
  `select e.line, e.number, e.error from import_errors e
    where e.organization_id = $1 and e.import_id = $2 and (e.line, e.number) > ($3, $4)
    order by e.line, e.number limit $5`,
)

/** $1 organization, $2 import, $3 line, $4 most chunks: the outcomes of the rows of chunks that begin after that line. */
export const selectOutcomes = statement(
  'select_import_outcomes',
  `select o.line, o.outcomes from import_outcomes o
    where o.organization_id = $1 and o.import_id = $2 and o.line > $3
    order by o.line limit $4`,
)

/** $1 organization, $2 import: removes the rows that are useless once the import is finished. */
export const clearImport = [
  statement('delete_import_errors', 'delete from import_errors e where e.organization_id = $1 and e.import_id = $2'),
  statement(
    'delete_import_outcomes',
    'delete from import_outcomes o where o.organization_id = $1 and o.import_id = $2',
  ),
  statement(
    'delete_import_primaries',
    'delete from import_primaries p where p.organization_id = $1 and p.import_id = $2',
  ),
  statement(
    'delete_import_rehearsals',
    'delete from import_rehearsals r where r.organization_id = $1 and r.import_id = $2',
  ),
]
