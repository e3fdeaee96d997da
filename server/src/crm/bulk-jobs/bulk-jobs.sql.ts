import { limits } from '../../kernel/index.ts'
import { type Statement, statement } from '../../kernel/sql/index.ts'

/** What is read of a job, by name: a release after this one may add columns while this one runs. */
export const bulkJobColumns = `j.id, j.application_id, j.entity_type, j.action, j.changes, j.status, j.total, j.succeeded, j.unchanged,
          j.failed, j.canceled, j.created_at, j.started_at, j.finished_at, j.failure_code, j.failure_message, j.token_id`

const errors = `select json_agg(json_build_object('recordId', e.record_id, 'externalId', k.key, 'code', e.code,
              'message', e.message, 'details', e.details, 'occurredAt', e.occurred_at) order by e.ordinal desc)
            from (select x.* from bulk_job_errors x
                   where x.organization_id = $1 and x.job_id = $3
                   order by x.ordinal desc limit ${limits.bulkErrors}) as e
            left join lateral (
              select o.key from (
                select l.application_id, l.gone, l.key from external_keys l
                 where l.organization_id = $1 and l.resource_id = e.record_id
                offset 0) as o
               where o.application_id = $2 and not o.gone
               limit 1) as k on true`

/** $1 organization, $2 application, $3 id: a job of the application, with its latest errors. */
export const selectBulkJob = statement(
  'select_bulk_job',
  `select ${bulkJobColumns},
          (${errors}) as errors
     from bulk_jobs j
    where j.organization_id = $1 and j.id = $3 and j.application_id = $2`,
)

/** $1 organization, $2 id: the job of whichever application. */
export const selectAnyBulkJob = statement(
  'select_any_bulk_job',
  `select ${bulkJobColumns} from bulk_jobs j where j.organization_id = $1 and j.id = $2`,
)

const page = (name: string, condition: string) =>
  statement(
    name,
    `select ${bulkJobColumns}
     from bulk_jobs j
    where j.organization_id = $1 and j.application_id = $2${condition}
    order by j.created_at desc, j.id desc limit $3`,
  )

const behind = ' and (j.created_at, j.id) < ($4, $5)'
const pages = {
  first: page('list_bulk_jobs', ''),
  next: page('list_more_bulk_jobs', behind),
  firstOfType: page('list_bulk_jobs_of_type', ' and j.entity_type = $4'),
  nextOfType: page('list_more_bulk_jobs_of_type', ' and (j.created_at, j.id) < ($4, $5) and j.entity_type = $6'),
}

/**
 * A page of the jobs of an application, the newest first. $1 organization, $2 application, $3 the most rows; then, for a
 * following page, time and id of the last job before; then, for jobs of one type, the type.
 */
export function selectBulkJobs({ goesOn, ofType }: { goesOn: boolean; ofType: boolean }): Statement {
  if (ofType) return goesOn ? pages.nextOfType : pages.firstOfType
  return goesOn ? pages.next : pages.first
}
