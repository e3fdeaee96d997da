import { bounds, inPortions, jobRecordUpkeep, type Services, timeBefore } from '../../kernel/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { exportRecord } from './export.ts'
import { failExport } from './finish-export.ts'
import { exportJob } from './run-export.ts'

const dayMilliseconds = 86_400_000

/** How long exports are listed and their idempotency keys are kept (contract section 10.2). */
const shownMilliseconds = 90 * dayMilliseconds

/** An export that is not finished this long after its request has failed. */
const longestMilliseconds = dayMilliseconds
const forgotten = {
  code: 'internal_error',
  message: 'The export was interrupted and cannot go on: ask for it again',
}

/** How many exports one statement changes. */
const portion = 500

/** $1 organization, $2 time, $3 most: detaches the files of exports and returns the files, which no longer count. */
const expireExports = statement(
  'expire_exports',
  `with old as (
     select e.id from exports e
      where e.organization_id = $1 and e.status = 'completed' and e.expires_at <= $2
      order by e.expires_at limit $3 for update),
   expired as (
     update exports e set status = 'expired' from old where e.organization_id = $1 and e.id = old.id
     returning e.file_id),
   dropped as (
     delete from files f using expired where f.organization_id = $1 and f.id = expired.file_id
     returning f.id, f.size_bytes),
   moved as (
     update organization_feed o set file_bytes = o.file_bytes - (select sum(d.size_bytes) from dropped d)
      where o.organization_id = $1 and exists (select from dropped))
   select x.file_id as id from expired x left join dropped d on d.id = x.file_id`,
)

/** Removes the files of old exports, and later the exports themselves. */
export const exportsUpkeep = jobRecordUpkeep(exportRecord, exportJob, {
  name: 'exports',
  bound: 'organizationExports',
  counted: { expired: 'expiredExports', removed: 'exports' },
  retention: { kept: () => shownMilliseconds, since: 'created_at', over: `j.status in ('expired', 'failed')` },
  expire,
})

async function expire(organizationId: string, services: Services, signal: AbortSignal): Promise<number> {
  const { clock, database, files } = services
  const count = await inPortions(portion, signal, async () => {
    const expired = await database.query(expireExports, [organizationId, timeBefore(clock.now(), 0), portion])
    await files.discard(expired.map(({ id }) => ({ organizationId, purpose: 'export', id: String(id) })))
    return expired.length
  })
  const values = [organizationId, timeBefore(clock.now(), longestMilliseconds), bounds.organizationExports.most]
  for (const { id } of await database.query(exportRecord.waiting, values))
    await failExport(String(id), forgotten, { organizationId, services })
  return count
}
