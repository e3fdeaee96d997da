import { statement } from '../../kernel/sql/index.ts'

const members = 'j.id, j.status, j.created_at, j.started_at, j.finished_at, j.application_id'

/** The rows of one type behind $2, the newest first: ids grow with time, so the primary key has them in order. */
const newest = (type: string, table: string, columns: string, more = '') => `(
        select '${type}' as type, ${members}, ${columns}
          from ${table} j
         where j.organization_id = $1 and j.id < $2::uuid and '${type}' = any ($4::text[])${more}
         order by j.id desc limit $3::integer)`

/**
 * A page of the jobs of organization $1: behind the id $2, at most $3, of the types $4. Exports are those that the user $5 has started, and
 * all where $6 is true.
 */
export const selectJobs = statement(
  'select_jobs_of_organization',
  `select j.*, a.name as application_name, o.name as starter_name
     from (select j.* from (
       ${newest('bulk_job', 'bulk_jobs', `j.started_by, j.entity_type as subject, j.action as title, j.succeeded + j.unchanged + j.failed as done, j.total, j.failed, false as dry_run`)}
       union all
       ${newest('export', 'exports', `j.started_by, j.type as subject, j.file_name as title, j.rows_written as done, j.rows_total as total, 0 as failed, false as dry_run`, ' and ($6::boolean or j.started_by = $5::uuid)')}
       union all
       ${newest('import', 'imports', `coalesce(j.started_by, j.author_uuid) as started_by, j.entity_type as subject, j.file_name as title, j.position as done, j.row_count as total, coalesce((j.counters ->> 'failed')::integer, 0) as failed, j.dry_run`)}) j
       order by j.id desc limit $3::integer) j
     left join lateral (
       select x.name from applications x where x.organization_id = $1 and x.id = j.application_id offset 0) a on true
     left join lateral (
       select x.name from operators x where x.organization_id = $1 and x.id = j.started_by offset 0) o on true
    order by j.id desc`,
)
