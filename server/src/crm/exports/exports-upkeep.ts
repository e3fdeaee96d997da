import { bounds, defineUpkeep, ensureJob, inPortions, organizationsWith, type Services } from '../../kernel/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { failExport } from './finish-export.ts'
import { exportJob } from './run-export.ts'

const dayMilliseconds = 86_400_000

/** How long exports are shown, and their keys known (contract section 10.2). */
const shownMilliseconds = 90 * dayMilliseconds

/** An export that was asked for so long ago should be in the queue. */
const queuedMilliseconds = 60_000

/** An export that is not finished so long after it was asked for has failed. */
const longestMilliseconds = dayMilliseconds
const forgotten = {
  code: 'internal_error',
  message: 'The export was interrupted and cannot go on: ask for it again',
}

/** How many exports one statement changes. */
const portion = 500

/** $1 organization, $2 time, $3 most: gives the files, which do not count any more. */
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

/** $1 organization, $2 time, $3 the most: exports that were asked for before the time and are not finished. */
const selectUnfinished = statement(
  'select_unfinished_exports',
  `select e.id from exports e
    where e.organization_id = $1 and e.status in ('queued', 'running') and e.created_at < $2
    order by e.created_at, e.id limit $3`,
)

/** $1 organization, $2 time, $3 most */
const removeExports = statement(
  'remove_old_exports',
  `delete from exports e
    where e.organization_id = $1 and e.id in (
      select x.id from exports x
       where x.organization_id = $1 and x.created_at < $2 and x.status in ('expired', 'failed') limit $3)
  returning e.id`,
)

const organizationsWithExports = organizationsWith('exports')

/**
 * Takes the files of old exports away, and at last the exports, and brings those back to the queue that are not finished and not in
 * it, as in an organization that was brought in from elsewhere.
 */
export const exportsUpkeep = defineUpkeep({
  name: 'exports',
  async run(services, signal) {
    const { clock, database } = services
    const counts = { expiredExports: 0, exports: 0 }
    for await (const id of organizationsWithExports(database, signal)) {
      counts.expiredExports += await expire(id, services, signal)
      const now = clock.now()
      for (const exportId of await unfinishedSince(longestMilliseconds, id, services))
        await failExport(exportId, forgotten, { organizationId: id, services })
      for (const exportId of await unfinishedSince(queuedMilliseconds, id, services))
        await ensureJob(database, id, { job: exportJob, payload: { exportId }, key: exportId })
      counts.exports += await inPortions(portion, signal, async () => {
        return (await database.query(removeExports, [id, timeAt(now - shownMilliseconds), portion])).length
      })
    }
    return { removed: counts, skipped: [] }
  },
})

/** The exports of an organization that were asked for so long ago and are not finished. */
async function unfinishedSince(
  milliseconds: number,
  organizationId: string,
  { clock, database }: Services,
): Promise<string[]> {
  const values = [organizationId, timeAt(clock.now() - milliseconds), bounds.organizationExports.most]
  return (await database.query(selectUnfinished, values)).map(({ id }) => String(id))
}

async function expire(
  organizationId: string,
  { clock, database, files }: Pick<Services, 'clock' | 'database' | 'files'>,
  signal: AbortSignal,
): Promise<number> {
  return inPortions(portion, signal, async () => {
    const expired = await database.query(expireExports, [organizationId, timeAt(clock.now()), portion])
    await files.discard(expired.map(({ id }) => ({ organizationId, purpose: 'export', id: String(id) })))
    return expired.length
  })
}

function timeAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
