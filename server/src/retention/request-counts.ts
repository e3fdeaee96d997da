import { type Database, statement } from '../kernel/sql/index.ts'

const keptDays = 90

// An application has one row for a day, so an hour of all applications is a short statement.
const removeCounts = statement(
  'remove_request_counts',
  'delete from request_counts r where r.organization_id = $1 and r.day < $2::date returning 1',
)

/** Removes the counts of requests of an organization that are of days more than 90 days before the time `now`. */
export async function removeRequestCounts(database: Database, organizationId: string, now: number): Promise<number> {
  const oldest = new Date(now - keptDays * 86_400_000).toISOString().slice(0, 10)
  return (await database.query(removeCounts, [organizationId, oldest])).length
}
