import { defineUpkeep, ensureJob, organizationsWith, type Upkeep } from '../../jobs/index.ts'
import { type BoundName, bounds } from '../../limits/index.ts'
import type { Services } from '../../services.ts'
import type { JobRecord } from './job-record.ts'
import type { RecordJob } from './record-job.ts'
import { type JobRetention, removeOldRecords, timeBefore } from './remove-old-records.ts'

/** A record that was asked for so long ago should be in the queue. */
const queuedMilliseconds = 60_000

interface UpkeepDeclaration {
  /** For the log: `exports`. */
  readonly name: string
  /** The bound on the unfinished records of an organization. */
  readonly bound: BoundName
  /** The names under which the log counts what has expired and what was removed. */
  readonly counted: { readonly expired?: string; readonly removed: string }
  readonly retention: JobRetention
  /** Ends what has come to its end by time; resolves to how many records that were. */
  expire?(organizationId: string, services: Services, signal: AbortSignal): Promise<number>
}

/**
 * What is done every hour about the records of all organizations: those whose time is over expire; those that are to be in the queue and
 * are not are queued, as in an organization that was brought in from elsewhere; those that were kept long enough are removed.
 */
export function jobRecordUpkeep<State>(
  record: JobRecord<State>,
  job: RecordJob,
  { name, bound, counted, retention, expire }: UpkeepDeclaration,
): Upkeep {
  const organizationsWithRecords = organizationsWith(record.table)
  const removeOld = removeOldRecords(record, retention)
  return defineUpkeep({
    name,
    async run(services, signal) {
      let [expired, removed] = [0, 0]
      for await (const id of organizationsWithRecords(services.database, signal)) {
        if (expire !== undefined) expired += await expire(id, services, signal)
        await queueMissing(record, job, bounds[bound].most, id, services)
        removed += await removeOld(id, services, signal)
      }
      const ends = counted.expired === undefined ? {} : { [counted.expired]: expired }
      return { removed: { ...ends, [counted.removed]: removed } }
    },
  })
}

/** Queues the jobs of records that are to be in the queue and are not, `most` of them. */
export async function queueMissing<State>(
  { waiting }: JobRecord<State>,
  job: RecordJob,
  most: number,
  organizationId: string,
  { clock, database }: Services,
): Promise<void> {
  const before = timeBefore(clock.now(), queuedMilliseconds)
  for (const { id } of await database.query(waiting, [organizationId, before, most]))
    await ensureJob(database, organizationId, job.request(String(id)))
}
