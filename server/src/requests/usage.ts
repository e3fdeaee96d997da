import { type Resource, unattended } from '../kernel/index.ts'
import { type Database, type Reader, statement } from '../kernel/sql/index.ts'

// $1 organization. Deleted records have no rows.
const countFiles = statement(
  'count_files_of_organization',
  `select count(*)::integer as files, coalesce(sum(f.size_bytes), 0)::float8 as bytes
     from files f where f.organization_id = $1`,
)

// $1 organization, $2 time.
const countJobs = statement(
  'count_jobs_of_organization',
  `select (select count(*)::integer from bulk_jobs b where b.organization_id = $1 and b.created_at >= $2) as "bulkJobs",
          (select count(*)::integer from exports e where e.organization_id = $1 and e.created_at >= $2) as exports,
          (select count(*)::integer from imports i where i.organization_id = $1 and i.created_at >= $2) as imports`,
)

// $1 organization, $2 day. An application without requests counts 0.
const countRequests = statement(
  'count_requests_by_application',
  `select a.id, a.name, coalesce(sum(r.requests), 0)::float8 as requests, coalesce(sum(r.refusals), 0)::float8 as refusals
     from applications a
     left join request_counts r
       on r.organization_id = a.organization_id and r.application_id = a.id and r.day >= $2::date
    where a.organization_id = $1 and a.kind = 'api'
    group by a.id, a.name
    order by 3 desc, a.name, a.id`,
)

/** A type, not an interface, because rows need an index signature. */
export type ApplicationUsage = {
  readonly id: string
  readonly name: string
  /** Requests with its tokens, and how many of them were answered with an error. */
  readonly requests: number
  readonly refusals: number
}

export interface OrganizationUsage {
  /** How many records there are of each kind, by its plural. */
  readonly records: Readonly<Record<string, number>>
  readonly files: number
  /** The size of the files. */
  readonly bytes: number
  /** Jobs that were created since the time. */
  readonly jobs: Readonly<Record<string, number>>
  readonly applications: readonly ApplicationUsage[]
}

/**
 * The current contents of an organization, and its usage since a time, in milliseconds since 1970; requests count from the beginning of
 * that day in UTC. `kinds` are the kinds of records to count; `reader` is who waits. Counts read all records, so they run as reports, one after
 * another: an organization has one place for these.
 */
export async function usageOf(
  database: Database,
  organizationId: string,
  since: number,
  kinds: readonly Resource[],
  reader: Reader = unattended(organizationId),
): Promise<OrganizationUsage> {
  const time = new Date(since).toISOString()
  const records: Record<string, number> = {}
  for (const kind of kinds) {
    const [row] = await database.report<{ records: number }>(countRecords(kind), [organizationId], reader)
    records[kind.plural] = row?.records ?? 0
  }
  const [files = { files: 0, bytes: 0 }] = await database.report<{ files: number; bytes: number }>(
    countFiles,
    [organizationId],
    reader,
  )
  const [jobs = {}] = await database.report<Record<string, number>>(countJobs, [organizationId, time], reader)
  const days = [organizationId, time.slice(0, 10)]
  const applications = await database.report<ApplicationUsage>(countRequests, days, reader)
  return { records, ...files, jobs, applications }
}

function countRecords({ kind, table }: Resource) {
  return statement(
    `count_records_of_${kind}`,
    `select count(*)::integer as records from ${table.name} t where t.organization_id = $1`,
  )
}
