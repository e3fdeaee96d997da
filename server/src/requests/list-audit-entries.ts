import { firstIdAt, type JsonObject } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'

// $1 organization, $2 type of resource or null, $3 the least id, $4 most entries. Ids grow with time, so the primary key has them in order.
const selectEntriesOfOrganization = statement(
  'select_entries_of_organization',
  `select a.id, a.occurred_at as "occurredAt", a.action, a.resource_type as "resourceType", a.resource_id as "resourceId",
          a.actor_type as "actorType", a.command_user as "commandUser", a.application_id as "applicationId",
          a.token_id as "tokenId", a.job_id as "jobId", a.request_id as "requestId",
          a.version_before::integer as "versionBefore", a.version_after::integer as "versionAfter", a.changes,
          a.overwrite
     from audit_entries a
    where a.organization_id = $1 and ($2::text is null or a.resource_type = $2) and a.id >= $3::uuid
    order by a.id desc limit $4`,
)

/** An entry as stored, including values that no token may read. */
export type EntryOfOrganization = {
  readonly id: string
  readonly occurredAt: string
  readonly action: string
  readonly resourceType: string
  readonly resourceId: string
  readonly actorType: string
  /** The user of the operating system who ran a command. */
  readonly commandUser: string | null
  readonly applicationId: string | null
  readonly tokenId: string | null
  readonly jobId: string | null
  readonly requestId: string
  readonly versionBefore: number | null
  readonly versionAfter: number | null
  readonly changes: readonly JsonObject[]
  /** Whether an upsert changed the record without comparing versions. */
  readonly overwrite: boolean
}

interface EntrySearch {
  readonly organizationId: string
  /** A type of resource, such as `token`. */
  readonly resourceType?: string | undefined
  /** Entries from this time on, in milliseconds since 1970. */
  readonly since?: number | undefined
  readonly most: number
}

/** The audit entries of an organization, including those of its settings, the newest first: this is for administrators. */
export async function listAuditEntries(
  database: Database,
  { organizationId, resourceType, since = 0, most }: EntrySearch,
): Promise<EntryOfOrganization[]> {
  const values = [organizationId, resourceType ?? null, firstIdAt(since), most]
  return database.search<EntryOfOrganization>(selectEntriesOfOrganization, values)
}
