import { bounds } from '../../kernel/index.ts'
import { type Statement, statement } from '../../kernel/sql/index.ts'

/** The most entries that one page reads. Entries that the filters exclude count too. */
export const lookedAtMost = bounds.auditScan.most

/** A page of the entries of an organization: $1 to $7 as below. */
export const selectAuditEntries = pageOf('select_audit_entries', 'e.organization_id = $1')

/** A page of the entries of one record, $8. */
export const selectAuditEntriesOfRecord = pageOf(
  'select_audit_entries_of_record',
  'e.organization_id = $1 and e.resource_id = $8::uuid',
)

/** The same with the names of who did it: an operator or an AI agent, the application, and the import or bulk job. */
export const selectHistory = pageOf(
  'select_history_of_record',
  'e.organization_id = $1 and e.resource_id = $8::uuid',
  `, (select o.name from operators o where o.organization_id = $1 and o.id = page.actor_uuid) as actor_name,
           (select a.name from agents a where a.organization_id = $1 and a.id = page.actor_uuid) as agent_name,
           (select a.name from applications a where a.organization_id = $1 and a.id = page.application_id) as application_name,
           (select i.file_name from imports i where i.organization_id = $1 and i.id = page.job_id) as import_name,
           (select b.action from bulk_jobs b where b.organization_id = $1 and b.id = page.job_id) as bulk_action`,
)

// $1 organization, $2 the entry before which the page begins, $3 types that may be shown, null for all, $4 and $5 filters or null, $6 most entries of the
// page, $7 most entries read. Ids grow with time, so an index has the entries in order. A page that is not full also returns the position
// up to which it has read, which is null at the end of the log.
function pageOf(name: string, condition: string, more = ''): Statement {
  return statement(
    name,
    `with page as materialized (
       select a.*
         from (select e.id, e.occurred_at, e.resource_type, e.resource_id, e.action, e.application_id, e.token_id,
                      e.address_class, e.actor_type, e.actor_uuid, e.request_id, e.version_before, e.version_after,
                      e.changes, e.job_id, e.overwrite
                 from audit_entries e
                where ${condition} and e.id < $2::uuid
                order by e.id desc limit $7::integer) as a
        where ($3::text[] is null or a.resource_type = any ($3::text[]))
          and ($4::text is null or a.action = $4)
          and ($5::uuid is null or a.application_id = $5)
        order by a.id desc limit $6::integer)
     select seen.seen_to, page.*${more}
       from (select case when (select count(*) from page) < $6::integer then (
                      select e.id from audit_entries e
                       where ${condition} and e.id < $2::uuid
                       order by e.id desc offset $7::integer - 1 limit 1) end as seen_to) as seen
       left join page on true
      order by page.id desc`,
  )
}
