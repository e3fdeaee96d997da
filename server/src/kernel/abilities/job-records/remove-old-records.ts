import type { FilePurpose } from '../../files/index.ts'
import { inPortions } from '../../jobs/index.ts'
import type { Services } from '../../services.ts'
import { statement } from '../../sql/index.ts'
import type { JobRecord } from './job-record.ts'

/** The retention of records. */
export interface JobRetention {
  /** In milliseconds. */
  kept(services: Services): number
  /** The column with the start of the retention. */
  readonly since: string
  /** The SQL condition of a row `j` that is removed then; all rows by default. */
  readonly over?: string
  /** Files that are removed with a record: their purpose, and the column with the id. */
  readonly files?: readonly (readonly [purpose: FilePurpose, column: string])[]
  /** Tables with rows of a record, by `job_id` and `ordinal`, which are removed before it. */
  readonly parts?: readonly string[]
}

/** How many records one statement removes, and how many part rows of one record. A statement takes some tens of milliseconds. */
const portion = 500
const partsPortion = 2000

/** Returns a function that removes the records of an organization at the end of their retention, and resolves to their number. */
export function removeOldRecords<State>(
  { kind, table }: JobRecord<State>,
  { kept, since, over = 'true', files = [], parts = [] }: JobRetention,
): (organizationId: string, services: Services, signal: AbortSignal) => Promise<number> {
  const columns = files.map(([, column]) => column)
  // $1 organization, $2 time, $3 limit.
  const selectOld = statement(
    `select_old_${table}`,
    `select j.id from ${table} j
    where j.organization_id = $1 and j.${since} < $2 and ${over}
    order by j.${since} limit $3`,
  )
  // $1 organization, $2 ids: returns the files, which no longer count.
  const remove = statement(
    `remove_old_${table}`,
    `with removed as (
     delete from ${table} j where j.organization_id = $1 and j.id = any($2::uuid[])
     returning ${['id', ...columns].map(column => `j.${column}`).join(', ')})${
       columns.length === 0
         ? ''
         : `,
   dropped as (
     delete from files f using removed r
      where f.organization_id = $1 and f.id in (${columns.map(column => `r.${column}`).join(', ')}) returning f.size_bytes),
   moved as (
     update organization_feed o set file_bytes = o.file_bytes - (select sum(d.size_bytes) from dropped d)
      where o.organization_id = $1 and exists (select from dropped))`
     }
   select r.* from removed r`,
  )
  // $1 organization, $2 id of the record, $3 how many ordinals: its first rows.
  const removeParts = parts.map(part =>
    statement(
      `remove_${part}_of_old_${kind}`,
      `delete from ${part} t
    where t.organization_id = $1 and t.job_id = $2
      and t.ordinal < (select x.ordinal from ${part} x
                        where x.organization_id = $1 and x.job_id = $2
                        order by x.ordinal limit 1) + $3
   returning 1 as removed`,
    ),
  )
  // A record with parts is removed by itself: an interruption must not leave it without its parts.
  const most = parts.length === 0 ? portion : 1
  return (organizationId, services, signal) => {
    const { clock, database } = services
    const before = timeBefore(clock.now(), kept(services))
    return inPortions(most, signal, async () => {
      const old = (await database.query(selectOld, [organizationId, before, most])).map(({ id }) => String(id))
      for (const id of old)
        for (const rows of removeParts)
          while (!signal.aborted && (await database.query(rows, [organizationId, id, partsPortion])).length > 0);
      if (old.length === 0 || signal.aborted) return 0
      const removed = await database.query(remove, [organizationId, old])
      const named = files.flatMap(([purpose, column]) =>
        removed.flatMap(row => (row[column] === null ? [] : [{ organizationId, purpose, id: String(row[column]) }])),
      )
      await services.files.discard(named)
      return removed.length
    })
  }
}

/** The time this many milliseconds before `now`, for a statement. */
export function timeBefore(now: number, milliseconds: number): string {
  return new Date(now - milliseconds).toISOString()
}
