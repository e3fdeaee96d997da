import type { FilePurpose } from '../../kernel/files/index.ts'
import { bounds, defineUpkeep, ensureJob, inPortions, organizationsWith, type Services } from '../../kernel/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { importJob } from './run/import-job.ts'

const dayMilliseconds = 86_400_000
/** How long uploads wait for their start, and imports are shown (contract section 10.3). */
const waitingMilliseconds = 7 * dayMilliseconds
/** How long after the upload the last row has to be applied. */
const workingMilliseconds = 2 * waitingMilliseconds
const shownMilliseconds = 90 * dayMilliseconds
const portion = 500

/**
 * $1 organization, $2 and $3 times before which they were uploaded, $4 time, $5 most: uploads that were not started by the
 * first, and imports that nobody works on by the second, as those of an organization that was brought in from a file. Gives
 * the files, which do not count any more.
 */
const expireImports = statement(
  'expire_imports',
  `with old as (
     select i.id, i.file_id from imports i
      where i.organization_id = $1 and i.finished_at is null
        and i.created_at < case when i.status in ('uploaded', 'ready') then $2 else $3 end::timestamptz
      order by i.created_at limit $5 for update),
   expired as (
     update imports i
        set status = 'failed', finished_at = $4, file_id = null,
            failure = '{"code":"expired","message":"The import was not started within 7 days, or not done within 14"}'
       from old where i.organization_id = $1 and i.id = old.id),
   dropped as (
     delete from files f using old where f.organization_id = $1 and f.id = old.file_id)
   select old.file_id as id, 'import' as purpose from old`,
)

/** $1 organization, $2 the most: imports that were started and are not finished. Their jobs are in the queue since the start. */
const selectStarted = statement(
  'select_started_imports',
  `select i.id from imports i
    where i.organization_id = $1 and i.status in ('queued', 'running', 'canceling')
    order by i.created_at, i.id limit $2`,
)

/** $1 organization, $2 time, $3 most: gives the files of errors of the imports that are removed. */
const removeImports = statement(
  'remove_old_imports',
  `with old as (
     select i.id, i.errors_file_id from imports i
      where i.organization_id = $1 and i.finished_at < $2 limit $3 for update),
   removed as (delete from imports i using old where i.organization_id = $1 and i.id = old.id),
   dropped as (delete from files f using old where f.organization_id = $1 and f.id = old.errors_file_id)
   select old.errors_file_id as id, 'import_errors' as purpose from old`,
)

/** $1 organization, $2 most: takes the values out of errors that may tell of persons who were erased since. */
const dropValues = statement(
  'drop_values_of_import_errors',
  `update imports i
      set errors = (select coalesce(jsonb_agg(e || '{"value":null}' order by ordinal), '[]')
                      from jsonb_array_elements(i.errors) with ordinality as listed(e, ordinal))
    where i.organization_id = $1 and i.id in (
      select x.id from imports x
       where x.organization_id = $1 and jsonb_path_exists(x.errors, '$[*] ? (@.value != null)')
         and exists (select 1 from erasure_receipts r where r.organization_id = $1 and r.erased_at >= x.created_at)
       limit $2)
  returning i.id`,
)

const organizationsWithImports = organizationsWith('imports')

/**
 * Ends imports that were not started in time, brings those back to the queue that were started and are not in it, as in an
 * organization that was brought in from elsewhere, and removes what has grown old.
 */
export const importsUpkeep = defineUpkeep({
  name: 'imports',
  async run(services, signal) {
    const { clock, database } = services
    const counts = { expiredImports: 0, imports: 0, importErrorValues: 0 }
    for await (const id of organizationsWithImports(database, signal)) {
      const now = clock.now()
      const times = [waitingMilliseconds, workingMilliseconds, 0].map(past => timeAt(now - past))
      const expired = [id, ...times, portion]
      counts.expiredImports += await withFiles(id, services, signal, () => database.query(expireImports, expired))
      await queueUnfinished(id, services)
      const removed = [id, timeAt(now - shownMilliseconds), portion]
      counts.imports += await withFiles(id, services, signal, () => database.query(removeImports, removed))
      counts.importErrorValues += (await database.query(dropValues, [id, portion])).length
    }
    return { removed: counts, skipped: [] }
  },
})

async function queueUnfinished(organizationId: string, { database }: Services): Promise<void> {
  for (const { id } of await database.query(selectStarted, [organizationId, bounds.organizationImports.most])) {
    const importId = String(id)
    await ensureJob(database, organizationId, { job: importJob, payload: { importId }, key: importId })
  }
}

/** Repeats a step until it has less to do than it can, and removes the bytes of the files that it gives. */
async function withFiles(
  organizationId: string,
  { files }: Pick<Services, 'files'>,
  signal: AbortSignal,
  step: () => Promise<readonly { readonly id?: unknown; readonly purpose?: unknown }[]>,
): Promise<number> {
  return inPortions(portion, signal, async () => {
    const done = await step()
    const gone = done.flatMap(({ id, purpose }) =>
      typeof id === 'string' && isPurpose(purpose) ? [{ organizationId, purpose, id }] : [],
    )
    await files.discard(gone)
    return done.length
  })
}

function isPurpose(purpose: unknown): purpose is FilePurpose {
  return purpose === 'import' || purpose === 'import_errors'
}

function timeAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
