import { isObject } from '../schema/index.ts'
import { type Database, type Row, type Statement, statement } from '../sql/index.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import { wakeWorkers } from './heartbeat.sql.ts'
import { noOrganization } from './names.ts'
import { type JobState, stateOfJob } from './queue-state.ts'

/** A job in the queue. A job that has ended is not in the queue, unless it failed for good. */
export interface QueuedJob {
  /** Identifies the job within its kind and organization: usually the id of its record. */
  readonly id: string
  readonly job: string
  /** Null for the hourly upkeep, and for other jobs of the installation. */
  readonly organizationId: string | null
  readonly state: JobState
  /** The number of attempts at the current part. */
  readonly attempts: number
  /** When the current part is due, or was. */
  readonly runAt: string
  /** The worker that runs it. */
  readonly workerId: string | null
  /** Why the last attempt failed. The log has the details. */
  readonly reason: string | null
}

/** A job with the id of its row, which is needed to change it, and its payload. */
export interface FoundJob extends QueuedJob {
  readonly rowId: string
  readonly payload: Envelope['payload']
}

const mostListed = 1000

// A job without a key was added again meanwhile, and its process ended before the old row could be removed.
const selectJobs = statement(
  'select_queued_jobs',
  `select j.id::text as "rowId", k.id, t.identifier as job, s.state, j.attempts::integer as attempts,
          j.run_at as "runAt", j.locked_by as "workerId", j.last_error as reason, j.payload
     from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id
     left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
    cross join lateral (select ${stateOfJob} as state) s
    cross join lateral (select case when starts_with(j.key, q.queue_name || '/')
                                    then substr(j.key, length(q.queue_name) + 2) else j.key end as id) k
    where j.key is not null
      and ($1::text is null or k.id = $1)
      and ($2::text is null or j.payload ->> 'organizationId' = $2)
      and ($3::text is null or s.state = $3)
    order by j.run_at, j.id limit $4`,
)

/** Conditions on jobs. A condition that is absent matches all jobs. */
export interface JobSearch {
  readonly id?: string | undefined
  readonly organizationId?: string | undefined
  readonly state?: JobState | undefined
}

/** The jobs in the queue, at most 1,000, in the order in which they are due. Reads the whole queue. */
export async function findJobs(database: Database, { id, organizationId, state }: JobSearch = {}): Promise<FoundJob[]> {
  const rows = await database.search<FoundRow>(selectJobs, [id, organizationId?.toLowerCase(), state, mostListed])
  return rows.map(row => ({ ...row, ...envelopeOf(row) }))
}

type FoundRow = Omit<FoundJob, 'organizationId'> & Row

function envelopeOf({ payload }: FoundRow): Pick<FoundJob, 'organizationId' | 'payload'> {
  // Jobs that the library itself schedules have no envelope.
  if (!isObject(payload) || !('organizationId' in payload)) return { organizationId: null, payload: {} }
  const { organizationId, payload: inside } = readEnvelope(payload)
  return { organizationId: organizationId === noOrganization ? null : organizationId, payload: inside }
}

const rescheduleJob = statement(
  'reschedule_job',
  `select j.id from graphile_worker.reschedule_jobs(array[$1::bigint], run_at => now(), attempts => 0) as j`,
)

/** Makes a job due now, with all its attempts; false if it is running or has ended. */
export async function retryJob(database: Database, { rowId }: Pick<FoundJob, 'rowId'>): Promise<boolean> {
  const rows = await database.search(rescheduleJob, [rowId])
  await database.search(wakeWorkers, [1])
  return rows.length > 0
}

const completeJob = statement('complete_job', 'select j.id from graphile_worker.complete_jobs(array[$1::bigint]) as j')

/** Removes a job from the queue; false if it is running or has ended. */
export async function dropJob(database: Database, { rowId }: Pick<FoundJob, 'rowId'>): Promise<boolean> {
  return (await database.search(completeJob, [rowId])).length > 0
}

const removeJobs = statement(
  'remove_jobs_of_organization',
  `delete from graphile_worker._private_jobs j where j.payload ->> 'organizationId' = $1`,
)

// The name of a queue contains the kind of job and the organization: see `queueOf`.
const removeQueues = statement(
  'remove_queues_of_organization',
  `delete from graphile_worker._private_job_queues q where right(q.queue_name, length($1) + 1) = '/' || $1`,
)

/**
 * Removes the jobs of an organization, including running ones, and its queues. A worker does not add a removed job again; one that is
 * adding a job at this moment has committed when the statement ends, and another call finds that job.
 */
export async function removeJobsOf(
  asked: { query(statement: Statement, values: readonly unknown[]): Promise<Row[]> },
  organizationId: string,
): Promise<void> {
  await asked.query(removeJobs, [organizationId])
  await asked.query(removeQueues, [organizationId])
}
