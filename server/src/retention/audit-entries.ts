import { beforeAllIds, firstIdAt } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { portion } from './portion.ts'

// Ids are UUIDs of version 7, which begin with their time: old entries are a prefix of the primary key. Each portion begins where the one
// before ended, after its dead rows.
const removePortion = statement(
  'remove_audit_entries',
  `with old as (
     select a.id from audit_entries a
      where a.organization_id = $1 and a.id > $2::uuid and a.id < $3::uuid
      order by a.id limit $4),
   removed as (
     delete from audit_entries a using old o where a.organization_id = $1 and a.id = o.id returning 1)
   select o.id, (select count(*) from removed) as count from old o order by o.id desc limit 1`,
)

/** Removes the entries of an organization that are older than `before`. */
export async function removeAuditEntries(
  database: Database,
  organizationId: string,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  const end = firstIdAt(before)
  let removed = 0
  let last = beforeAllIds
  while (!signal.aborted) {
    const [row] = await database.query(removePortion, [organizationId, last, end, portion])
    if (row === undefined) return removed
    removed += Number(row.count)
    last = String(row.id)
  }
  return removed
}
