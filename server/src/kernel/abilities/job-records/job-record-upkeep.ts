import { defineUpkeep, ensureJob, organizationsWith, type Upkeep } from '../../jobs/index.ts'
import { type BoundName, bounds } from '../../limits/index.ts'
import type { Services } from '../../services.ts'
import type { JobRecord } from './job-record.ts'
import type { RecordJob } from './record-job.ts'
import { type JobRetention, removeOldRecords, timeBefore } from './remove-old-records.ts'

/** A record that was requested at least this long ago should be in the queue. */
const queuedMilliseconds = 60_000

interface UpkeepDeclaration {
  /** The name in the log: `exports`. */
  readonly name: string
  /** The bound on the unfinished records of an organization. */
  readonly bound: BoundName
  /** The names under which the log counts expired and removed records. */
  readonly counted: { readonly expired?: string; readonly removed: string }
  readonly retention: JobRetention
  /** Expires records whose time is over; resolves to their number. */
  expire?(organizationId: string, services: Services, signal: AbortSignal): Promise<number>
}

/**
 * The hourly upkeep of the records of all organizations: it expires records whose time is over, queues records that should be in the queue
 * and are not, as in an organization that was imported from elsewhere, and removes records at the end of their retention.
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

/** Queues the jobs of at most `most` records that should be in the queue and are not. */
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
