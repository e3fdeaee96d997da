import { beforeAllIds } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { portion } from './portion.ts'

// Scans the primary key, so that no row is read twice. The last event of a record is its removal.
const removePortion = statement(
  'remove_change_keys',
  `with seen as (
     select k.resource_id, k.application_id, k.removed_at
       from change_keys k
      where k.organization_id = $1 and (k.resource_id, k.application_id) > ($2::uuid, $3::uuid)
      order by k.resource_id, k.application_id limit $5),
   removed as (
     delete from change_keys k
      using seen s
      where k.organization_id = $1 and k.application_id = s.application_id and k.resource_id = s.resource_id
        and s.removed_at < $4::timestamptz
     returning 1)
   select s.resource_id, s.application_id, (select count(*) from removed) as count
     from seen s order by s.resource_id desc, s.application_id desc limit 1`,
)

/** Removes the keys of records that an organization removed before that time: their events are already removed. */
export async function removeChangeKeys(
  database: Database,
  organizationId: string,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0
  let last: readonly unknown[] = [beforeAllIds, beforeAllIds]
  while (!signal.aborted) {
    const values = [organizationId, ...last, new Date(before).toISOString(), portion]
    const [row] = await database.query(removePortion, values)
    if (row === undefined) return removed
    removed += Number(row.count)
    last = [row.resource_id, row.application_id]
  }
  return removed
}
