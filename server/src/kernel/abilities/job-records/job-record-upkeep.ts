import { defineUpkeep, ensureJob, organizationsWith, type Upkeep } from '../../jobs/index.ts'
import { type BoundName, bounds } from '../../limits/index.ts'
import type { Services } from '../../services.ts'
import type { JobRecord } from './job-record.ts'
import type { RecordJob } from './record-job.ts'

/** A record that was asked for so long ago should be in the queue. */
const queuedMilliseconds = 60_000

/** How many records of an organization a part of the upkeep has ended or removed. */
type Part = (organizationId: string, services: Services, signal: AbortSignal) => Promise<number>

interface UpkeepDeclaration {
  /** For the log: `exports`. */
  readonly name: string
  /** Of the records that an organization can have unfinished. */
  readonly bound?: BoundName
  /** Ends what has come to its end by time, and removes what was kept long enough, by the names that the log gives to what was done. */
  readonly expire?: Readonly<Record<string, Part>>
  readonly retain?: Readonly<Record<string, Part>>
}

/**
 * What is done every hour about the records of all organizations: `expire`, then those that are to be in the queue and are not are queued,
 * as in an organization that was brought in from elsewhere, then `retain`.
 */
export function jobRecordUpkeep<State>(
  { table, waiting }: JobRecord<State>,
  job: RecordJob,
  { name, bound, expire = {}, retain = {} }: UpkeepDeclaration,
): Upkeep {
  const organizationsWithRecords = organizationsWith(table)
  const most = bound === undefined ? { most: 1 } : bounds[bound]
  return defineUpkeep({
    name,
    async run(services, signal) {
      const { clock, database } = services
      const parts = Object.entries({ ...expire, ...retain })
      const removed = Object.fromEntries(parts.map(([what]) => [what, 0]))
      for await (const id of organizationsWithRecords(database, signal)) {
        const perform = async (all: Readonly<Record<string, Part>>) => {
          for (const [what, part] of Object.entries(all))
            removed[what] = (removed[what] ?? 0) + (await part(id, services, signal))
        }
        await perform(expire)
        const before = timeBefore(clock.now(), queuedMilliseconds)
        for (const row of await database.query(waiting, [id, before, most.most]))
          await ensureJob(database, id, job.request(String(row.id)))
        await perform(retain)
      }
      return { removed }
    },
  })
}

/** The time so many milliseconds before `now`, for a statement. */
export function timeBefore(now: number, milliseconds: number): string {
  return new Date(now - milliseconds).toISOString()
}
