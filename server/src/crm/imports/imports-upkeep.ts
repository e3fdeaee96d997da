import type { FilePurpose } from '../../kernel/files/index.ts'
import { bounds, inPortions, jobRecordUpkeep, type Services, timeBefore } from '../../kernel/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { importRecord, isImportRow } from './import.ts'
import { finishImport } from './run/finish-import.ts'
import { importJob } from './run/import-job.ts'

const dayMilliseconds = 86_400_000
/** How long uploads wait for their start, and imports are shown (contract section 10.3). */
const waitingMilliseconds = 7 * dayMilliseconds
/** How long after the upload the last row has to be applied. */
const workingMilliseconds = 2 * waitingMilliseconds
const shownMilliseconds = 90 * dayMilliseconds
const portion = 500

const expired = { code: 'expired', message: 'The import was not started within 7 days, or not done within 14' }

/**
 * $1 organization, $2 and $3 times before which they were uploaded, $4 the most: uploads that were not started by the first, and
 * imports that nobody works on by the second, as those of an organization that was brought in from a file.
 */
const selectExpired = statement(
  'select_expired_imports',
  `select ${importRecord.columns} from imports j
    where j.organization_id = $1 and j.finished_at is null
      and j.created_at < case when j.status in ('uploaded', 'ready') then $2 else $3 end::timestamptz
    order by j.created_at, j.id limit $4`,
)

/** $1 organization, $2 time, $3 most: gives the files of the imports that are removed. */
const removeImports = statement(
  'remove_old_imports',
  `with old as (
     select i.id, i.errors_file_id, i.rows_file_id from imports i
      where i.organization_id = $1 and i.finished_at < $2 limit $3 for update),
   removed as (delete from imports i using old where i.organization_id = $1 and i.id = old.id),
   dropped as (
     delete from files f using old
      where f.organization_id = $1 and f.id in (old.errors_file_id, old.rows_file_id) returning f.size_bytes),
   moved as (
     update organization_feed o set file_bytes = o.file_bytes - (select sum(d.size_bytes) from dropped d)
      where o.organization_id = $1 and exists (select from dropped))
   select old.errors_file_id, old.rows_file_id from old`,
)

/** Ends imports that were not started in time, and removes what has grown old. */
export const importsUpkeep = jobRecordUpkeep(importRecord, importJob, {
  name: 'imports',
  bound: 'organizationImports',
  expire: { expiredImports: expire },
  retain: { imports: removeOld },
})

/** Ends what nobody has started or finished in time, and gives how many those were. An organization has few at once. */
async function expire(organizationId: string, services: Services): Promise<number> {
  const { clock, database } = services
  const times = [waitingMilliseconds, workingMilliseconds].map(past => timeBefore(clock.now(), past))
  const rows = await database.query(selectExpired, [organizationId, ...times, bounds.organizationImports.most])
  const old = rows.filter(isImportRow)
  for (const row of old) {
    // One that is started at this moment goes on.
    const ending = { from: [row.status], status: 'failed', failure: expired } as const
    await finishImport(row, ending, { organizationId, services })
  }
  return old.length
}

async function removeOld(
  organizationId: string,
  { clock, database, files }: Services,
  signal: AbortSignal,
): Promise<number> {
  const before = timeBefore(clock.now(), shownMilliseconds)
  return inPortions(portion, signal, async () => {
    const removed = await database.query(removeImports, [organizationId, before, portion])
    const named = (purpose: FilePurpose, id: unknown) =>
      typeof id === 'string' ? [{ organizationId, purpose, id }] : []
    await files.discard(
      removed.flatMap(({ errors_file_id: errors, rows_file_id: rows }) => [
        ...named('import_errors', errors),
        ...named('import_rows', rows),
      ]),
    )
    return removed.length
  })
}
