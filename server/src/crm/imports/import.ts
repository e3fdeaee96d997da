import type { SourceForm } from '../../kernel/documents/index.ts'
import { Actor, defineJobRecord, type JobProgress, secondsLeft } from '../../kernel/index.ts'
import type { JsonObject } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { company } from '../companies/index.ts'
import type { ColumnReading } from './cells/column-reading.ts'
import type { DedupPolicy } from './dedup-policy.ts'
import type { EntityType } from './fields/entity-types.ts'
import { scopesOfFields } from './fields/scopes.ts'
import type { RowError } from './rows/row-error.ts'
import { type StartOptions, startOptions } from './start-options.ts'
import { type ShownUndo, undoColumn } from './undo/shown-undo.ts'
import { type UndoTimes, undoableUntil } from './undo/undoable.rules.ts'

export const statuses = [
  'uploaded',
  'ready',
  'queued',
  'running',
  'canceling',
  'completed',
  'completed_with_errors',
  'canceled',
  'failed',
] as const
export type ImportStatus = (typeof statuses)[number]

/** How many rows are in each state; the numbers add up to the total. */
export interface ImportCounters {
  readonly total: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly skipped: number
  readonly failed: number
  readonly pending: number
}

export const noCounters: ImportCounters = {
  total: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
  pending: 0,
}

/** How to read the file, as detected by its preview or its start. */
export interface KnownForm {
  readonly source: SourceForm
  readonly headerRow: number
  /** The names of the columns. */
  readonly header: readonly string[]
  /** How dates and numbers of each column are written; absent if an older server has read the file. */
  readonly readings?: readonly ColumnReading[]
}

/** An import as its row stores it. A type, not an interface, because rows need an index signature. */
export type ImportRow = {
  readonly id: string
  readonly entity_type: EntityType
  readonly status: ImportStatus
  readonly file_name: string
  readonly size_bytes: number
  readonly sha256: string
  /** The file in the store; null when it was removed. */
  readonly file_id: string | null
  readonly form: KnownForm | null
  /** The mapping as the client sent it, and the number of the column of each field. */
  readonly mapping: Readonly<Record<string, string | number>> | null
  readonly columns: Readonly<Record<string, MappedColumn>> | null
  readonly dedup_policy: DedupPolicy | null
  readonly defaults: Readonly<Record<string, string>> | null
  readonly dry_run: boolean
  /** null for an import that was not started. */
  readonly options: StartOptions | null
  readonly manages_custom_fields: boolean
  readonly row_count: number | null
  /** The last line of the file that was processed. */
  readonly position: number
  readonly counters: ImportCounters
  /** How many companies the rows of contacts have created. */
  readonly created_companies: number
  /** The latest errors, the newest last. */
  readonly errors: readonly RowError[]
  readonly errors_file_id: string | null
  readonly rows_file_id: string | null
  readonly failure: { readonly code: string; readonly message: string } | null
  readonly application_id: string | null
  /** The token that started it; null if unknown. */
  readonly token_id: string | null
  /** The user who started it, by the id of the member; null for one that an application started. */
  readonly started_by: string | null
  readonly author_type: 'application' | 'user'
  readonly author_uuid: string | null
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  /** Whether a person was erased since the upload: cell values are then no longer shown. */
  readonly persons_erased: boolean
  readonly undo: ShownUndo | null
}

export interface MappedColumn {
  readonly index: number
  readonly name: string
  /** How its dates and numbers are read; absent if the field has none. */
  readonly reading?: ColumnReading
}

/** Whether a row is an import. Only this module writes the columns. */
export function isImportRow(row: Row | null | undefined): row is ImportRow {
  return typeof row?.entity_type === 'string' && typeof row.status === 'string'
}

/**
 * The import in stored answers. They quote nothing from the file, because the quotes may concern persons who are erased before the answer
 * is replayed.
 */
export function toStoredAnswer(row: ImportRow, times: UndoTimes): JsonObject {
  return toAnswer({ ...row, errors: row.errors.map(error => ({ ...error, value: null })) }, times)
}

/**
 * The import as answers show it at a time; `errorsFileId` and `rowsFileId` become links when the answer is sent.
 */
export function toAnswer(row: ImportRow, times: UndoTimes): JsonObject {
  return {
    id: row.id,
    entityType: row.entity_type,
    status: row.status,
    fileName: row.file_name,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    rowCount: row.row_count,
    mapping: row.mapping,
    dedupPolicy: row.dedup_policy,
    defaults: row.defaults,
    dryRun: row.dry_run,
    ...startOptions(row.options),
    counters: row.counters,
    createdCompanies: row.created_companies,
    errors: row.errors.map(error => ({ ...refused, ...error, ...(row.persons_erased ? { value: null } : {}) })),
    errorsFileId: row.errors_file_id,
    rowsFileId: row.rows_file_id,
    failure: row.failure,
    applicationId: row.application_id,
    authorType: row.author_type,
    authorUuid: row.author_uuid,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    estimatedSecondsLeft: secondsLeft(progressOf(row), times.now),
    undoableUntil: undoableUntil(row, times),
    undo: row.undo,
  }
}

/** Errors that an earlier release has stored have no outcome. */
const refused = { outcome: 'failed' } as const

/** The progress of an import. */
function progressOf({ status, started_at, finished_at, counters, row_count }: ImportRow): JobProgress {
  return {
    status,
    startedAt: started_at,
    finishedAt: finished_at,
    counters: { ...counters },
    done: counters.total - counters.pending,
    total: row_count,
  }
}

/** An import, and whether its files exist. */
export const importRecord = defineJobRecord({
  kind: 'import',
  table: 'imports',
  columns: `j.id, j.entity_type, j.status, j.file_name, j.size_bytes, j.sha256, j.form, j.mapping, j.columns,
          j.dedup_policy, j.defaults, j.dry_run, j.options, j.manages_custom_fields, j.row_count, j.position, j.counters,
          j.created_companies, j.errors, j.failure, j.application_id, j.token_id, j.started_by, j.author_type, j.author_uuid, j.created_at, j.started_at, j.finished_at,
          (select f.id from files f where f.organization_id = $1 and f.id = j.file_id) as file_id,
          exists (select 1 from erasure_receipts r
                   where r.organization_id = $1 and r.erased_at >= j.created_at) as persons_erased,
          (select f.id from files f where f.organization_id = $1 and f.id = j.errors_file_id) as errors_file_id,
          (select f.id from files f where f.organization_id = $1 and f.id = j.rows_file_id) as rows_file_id,
          ${undoColumn}`,
  queued: `j.status in ('queued', 'running', 'canceling')`,
  ofApplication: false,
  read(row): ImportRow {
    if (!isImportRow(row)) throw new Error('an import has no type or no status')
    return row
  },
  progress: progressOf,
})

/** The actor of an import's writes: keys belong to the application that created it. */
export function importActor(organizationId: string, row: ImportRow): Actor {
  return Actor.of({
    organizationId,
    author: { type: 'import', uuid: row.author_uuid, jobId: row.id },
    applicationId: row.application_id,
    managesCustomFields: row.manages_custom_fields,
  })
}

/** The scopes that the values of a start need, and its run as long as it lasts. */
export function scopesOfStart({
  mapping,
  defaults,
  options,
}: Pick<ImportRow, 'mapping' | 'defaults' | 'options'>): string[] {
  const ofFields = scopesOfFields([...Object.keys(mapping ?? {}), ...Object.keys(defaults ?? {})])
  return options?.missingCompany === 'create' ? [...ofFields, company.scopes.write] : ofFields
}

type Startable = Pick<ImportRow, 'status' | 'dry_run' | 'started_by' | 'finished_at' | 'file_id'>

/** Whether an import can be started: it was not, or it is a dry run of a user. */
export function isOpen(row: Startable): boolean {
  return row.status === 'uploaded' || row.status === 'ready' || isRehearsed(row)
}

/** Whether a user has made a dry run that has ended, and whose file is kept for the start that may follow (contract section 10.3). */
export function isRehearsed(row: Omit<Startable, 'status'>): boolean {
  return row.dry_run && row.started_by !== null && row.finished_at !== null && row.file_id !== null
}
