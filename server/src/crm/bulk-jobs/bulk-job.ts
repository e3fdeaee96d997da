import { defineJobRecord, limits, secondsLeft } from '../../kernel/index.ts'
import { isObject, type JsonObject, textOrNull } from '../../kernel/schema/index.ts'
import type { Row } from '../../kernel/sql/index.ts'

/** The progress of a bulk job. */
export interface BulkJob {
  readonly id: string
  readonly applicationId: string
  /** The token that created the job; null if unknown. */
  readonly tokenId: string | null
  /** The user who created it, by the id of the member; null for one that an application created. */
  readonly startedBy: string | null
  readonly entityType: string
  readonly action: string
  readonly changes: JsonObject
  readonly status: string
  readonly total: number
  readonly counters: Counters
  /** How many targets are processed. This is also the ordinal of the next target. */
  readonly done: number
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

/** The numbers of targets by their outcome. */
type Counters = {
  readonly pending: number
  readonly succeeded: number
  readonly unchanged: number
  readonly failed: number
  readonly canceled: number
}

/** Builds a job from its row. The pending count is computed, so the counters always add up to the total. */
export function toBulkJob(row: Row): BulkJob {
  const total = Number(row.total)
  const [succeeded, unchanged] = [Number(row.succeeded), Number(row.unchanged)]
  const [failed, canceled] = [Number(row.failed), Number(row.canceled)]
  const done = succeeded + unchanged + failed
  return {
    id: String(row.id),
    applicationId: String(row.application_id),
    tokenId: textOrNull(row.token_id),
    startedBy: textOrNull(row.started_by),
    entityType: String(row.entity_type),
    action: String(row.action),
    changes: isObject(row.changes) ? row.changes : {},
    status: String(row.status),
    total,
    counters: { pending: total - done - canceled, succeeded, unchanged, failed, canceled },
    done,
    createdAt: String(row.created_at),
    startedAt: textOrNull(row.started_at),
    finishedAt: textOrNull(row.finished_at),
  }
}

/** SQL of the latest errors of the job `j`, where $1 is the organization. */
const errors = `select json_agg(json_build_object('recordId', e.record_id, 'externalId', k.key, 'code', e.code,
              'message', e.message, 'details', e.details, 'occurredAt', e.occurred_at) order by e.ordinal desc)
            from (select x.* from bulk_job_errors x
                   where x.organization_id = $1 and x.job_id = j.id
                   order by x.ordinal desc limit ${limits.bulkErrors}) as e
            left join lateral (
              select o.key from (
                select l.application_id, l.gone, l.key from external_keys l
                 where l.organization_id = $1 and l.resource_id = e.record_id
                offset 0) as o
               where o.application_id = j.application_id and not o.gone
               limit 1) as k on true`

/** A bulk job and its latest errors. */
export const bulkJobRecord = defineJobRecord({
  kind: 'bulk_job',
  table: 'bulk_jobs',
  columns: `j.id, j.application_id, j.entity_type, j.action, j.changes, j.status, j.total, j.succeeded, j.unchanged,
          j.failed, j.canceled, j.created_at, j.started_at, j.finished_at, j.failure_code, j.failure_message, j.token_id,
          j.started_by`,
  detail: `(${errors}) as errors`,
  queued: 'j.finished_at is null',
  ofApplication: true,
  filter: 'entity_type',
  read: toBulkJob,
  progress: job => job,
})

/** The job as answers show it to a reader with every scope; `now` is the time of the answer in milliseconds. */
export function shownBulkJob(row: Row, now: number): JsonObject {
  const job = toBulkJob(row)
  const { id, entityType, action, changes, status, total, counters, applicationId, startedBy } = job
  const { createdAt, startedAt, finishedAt } = job
  return {
    id,
    entityType,
    action,
    changes,
    status,
    total,
    counters,
    applicationId,
    author: startedBy === null ? 'application' : 'user',
    createdAt,
    startedAt,
    finishedAt,
    estimatedSecondsLeft: secondsLeft(job, now),
    failure: row.failure_code === null ? null : { code: row.failure_code, message: row.failure_message },
  }
}
