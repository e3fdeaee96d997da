import type { FiledRows } from '../../kernel/columns/index.ts'
import {
  type Caller,
  defineJobRecord,
  expiryOf,
  holderOf,
  limits,
  projectionScopes,
  type Scope,
  type Services,
  secondsLeft,
} from '../../kernel/index.ts'
import { isObject, type JsonObject, type Projection, textOrNull } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { shownFilters } from './filters.ts'
import { type ExportType, exportTypes } from './types.ts'

/** A requested export. */
export interface Export {
  readonly id: string
  readonly applicationId: string
  /** The token that requested the export; null if unknown. */
  readonly tokenId: string | null
  /** The user who requested the export, by the id of the member; null for one that an application requested. */
  readonly startedBy: string | null
  readonly type: ExportType
  readonly csvSafe: boolean
  readonly filters: JsonObject
  /** Names of the projections whose columns the file omits. */
  readonly redacted: readonly string[]
  readonly status: string
  /** How many rows are written, and how many there are in all; null until they are counted. */
  readonly written: number
  readonly total: number | null
  readonly fileName: string
  readonly fileId: string | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  /** How often the file was started again because a person was erased meanwhile. */
  readonly restarts: number
}

/** Builds an export from its row. */
export function toExport(row: Row): Export {
  const type = exportTypes.find(known => known === row.type)
  if (type === undefined) throw new Error(`an export has the unknown type ${String(row.type)}`)
  return {
    id: String(row.id),
    applicationId: String(row.application_id),
    tokenId: textOrNull(row.token_id),
    startedBy: textOrNull(row.started_by),
    type,
    csvSafe: row.csv_safe === true,
    filters: isObject(row.filters) ? row.filters : {},
    redacted: Array.isArray(row.redacted) ? row.redacted.map(String) : [],
    status: String(row.status),
    written: Number(row.rows_written),
    total: numberOf(row.rows_total),
    fileName: String(row.file_name),
    fileId: textOrNull(row.file_id),
    createdAt: String(row.created_at),
    startedAt: textOrNull(row.started_at),
    finishedAt: textOrNull(row.finished_at),
    restarts: Number(row.restarts),
  }
}

/** An export, and whether it has a file. */
export const exportRecord = defineJobRecord({
  kind: 'export',
  table: 'exports',
  columns: `j.id, j.application_id, j.token_id, j.started_by, j.type, j.csv_safe, j.filters, j.redacted, j.status, j.restarts, j.rows_written,
          j.rows_total, j.file_name, j.file_id, j.size_bytes, j.sha256, j.created_at, j.started_at, j.finished_at,
          j.expires_at, j.failure_code, j.failure_message, j.run_id,
          exists (select 1 from files f where f.organization_id = $1 and f.id = j.file_id) as has_file`,
  queued: `j.status in ('queued', 'running')`,
  ofApplication: true,
  isPrivate: true,
  read: toExport,
  progress: found => ({ ...found, counters: { written: found.written }, done: found.written }),
})

/** The parts of the file that need a scope: the projections that were not omitted from it. */
export function projectionsIn({ projections }: FiledRows, redacted: readonly string[]): Projection[] {
  return projections.filter(projection => !redacted.includes(projection))
}

/** The scopes that a token needs for the file of an export. */
export function scopesOfFile(rows: FiledRows, redacted: readonly string[]): Scope[] {
  return ['crm_export_manage', ...projectionsIn(rows, redacted).map(projection => projectionScopes[projection])]
}

/**
 * The export as answers show it, with a new link to its file while the file exists (contract section 10.2). The link expires with the
 * credential of the caller and with the file. `project` removes the link for callers who may not read everything in the file.
 */
export function shownExport(
  row: Row,
  caller: Caller,
  types: Readonly<Record<ExportType, FiledRows>>,
  { clock, files }: Pick<Services, 'clock' | 'files'>,
): JsonObject {
  const found = toExport(row)
  const { id, type, status: stored, csvSafe, filters, redacted, written, total, fileName, fileId } = found
  const { createdAt, startedAt, finishedAt } = found
  const now = clock.now()
  const status = stored === 'completed' && !isKept(row, now) ? 'expired' : stored
  return {
    id,
    type,
    status,
    csvSafe,
    filters: shownFilters(filters),
    counters: { written, pending: total === null ? null : Math.max(0, total - written) },
    rowCount: finishedAt === null || stored === 'failed' ? null : written,
    fileName,
    sizeBytes: numberOf(row.size_bytes),
    sha256: textOrNull(row.sha256),
    redacted,
    createdAt,
    startedAt,
    finishedAt,
    expiresAt: textOrNull(row.expires_at),
    estimatedSecondsLeft: secondsLeft({ ...found, done: written }, now),
    failure: row.failure_code === null ? null : { code: row.failure_code, message: row.failure_message },
    ...(status === 'completed' && fileId !== null ? link(fileId) : {}),
  }

  function link(file: string): JsonObject {
    const { organization } = caller
    const scopes = scopesOfFile(types[type], redacted)
    const linked = { organizationId: organization.id, id: file, resourceId: id, holder: holderOf(caller), scopes }
    const ends = [expiryOf(caller), textOrNull(row.expires_at)]
    const { url, expiresInSeconds } = files.links.link(linked, { seconds: limits.exportLinkSeconds, ends, now })
    return { downloadUrl: url, downloadUrlExpiresInSeconds: expiresInSeconds }
  }
}

function isKept(row: Row, now: number): boolean {
  return row.has_file === true && Date.parse(String(row.expires_at)) > now
}

function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}
