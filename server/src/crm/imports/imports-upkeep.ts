import { forgetFile } from '../../kernel/files/index.ts'
import {
  Actor,
  bounds,
  byApplication,
  jobRecordUpkeep,
  Lookup,
  type Mutation,
  mutate,
  type Services,
  timeBefore,
} from '../../kernel/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { importRecord, isImportRow, isRehearsed } from './import.ts'
import { importTable, selectOldRehearsals } from './imports.sql.ts'
import { finishImport } from './run/finish-import.ts'
import { importJob } from './run/import-job.ts'

const dayMilliseconds = 86_400_000
/** How long uploads wait to be started, and how long imports are listed (contract section 10.3). */
const waitingMilliseconds = 7 * dayMilliseconds
/** How long after the upload the last row must be applied. */
const workingMilliseconds = 2 * waitingMilliseconds
const shownMilliseconds = 90 * dayMilliseconds

const expired = { code: 'expired', message: 'The import was not started within 7 days, or not done within 14' }

/**
 * $1 organization, $2 and $3 limits for the time of the upload, $4 the most: uploads older than the first that were not started, and
 * imports older than the second that no worker processes, such as those of an organization that was imported from a file.
 */
const selectExpired = statement(
  'select_expired_imports',
  `select ${importRecord.columns} from imports j
    where j.organization_id = $1 and j.finished_at is null
      and j.created_at < case when j.status in ('uploaded', 'ready') then $2 else $3 end::timestamptz
    order by j.created_at, j.id limit $4`,
)

/** Ends imports that were not started in time, and removes old ones. */
export const importsUpkeep = jobRecordUpkeep(importRecord, importJob, {
  name: 'imports',
  bound: 'organizationImports',
  counted: { expired: 'expiredImports', removed: 'imports' },
  retention: {
    kept: () => shownMilliseconds,
    since: 'finished_at',
    files: [
      ['import_errors', 'errors_file_id'],
      ['import_rows', 'rows_file_id'],
    ],
  },
  expire,
})

/** Ends imports that were not started or finished in time, and returns their number. An organization has few at once. */
async function expire(organizationId: string, services: Services): Promise<number> {
  const { clock, database } = services
  const times = [waitingMilliseconds, workingMilliseconds].map(past => timeBefore(clock.now(), past))
  const rows = await database.query(selectExpired, [organizationId, ...times, bounds.organizationImports.most])
  const old = rows.filter(isImportRow)
  for (const row of old) {
    // An import that is started at this moment goes on.
    const ending = { from: [row.status], status: 'failed', failure: expired } as const
    await finishImport(row, ending, { organizationId, services })
  }
  const [waiting] = times
  const rehearsed = await database.query(selectOldRehearsals, [
    organizationId,
    waiting,
    bounds.organizationImports.most,
  ])
  for (const { id } of rehearsed) await dropRehearsed(String(id), organizationId, services)
  return old.length
}

/** Drops the file of a dry run that no start has followed. The dry run itself stays listed. */
async function dropRehearsed(id: string, organizationId: string, services: Services): Promise<void> {
  const locked = Lookup.row(importRecord.lock, [id])
  const mutation: Mutation<null, never> = {
    needs: needs => needs.toLoad(locked),
    decide(work) {
      const row = work.read(locked)
      if (!isImportRow(row) || !isRehearsed(row) || row.file_id === null) return { result: null }
      const { file_id: fileId, size_bytes: size } = row
      return {
        result: null,
        rows: [
          { table: importTable, operation: 'update', row: { id, file_id: null } },
          forgetFile({ id: fileId, size }),
        ],
        drops: [{ organizationId, purpose: 'import', id: fileId }],
      }
    },
  }
  await mutate(mutation, Actor.of({ organizationId, author: { ...byApplication, type: 'system' } }), services)
}
