import { type Database, statement } from '../sql/index.ts'

/** The number of jobs of a kind in a state: waiting for a worker, waiting for their time, running, or failed for good. */
export interface JobCount {
  readonly job: string
  readonly state: JobState
  readonly count: number
}

export type JobState = 'waiting' | 'scheduled' | 'running' | 'failed'

export interface WorkerState {
  readonly id: string
  readonly version: string
  readonly startedAt: string
  readonly secondsSinceBeat: number
}

export interface QueueState {
  readonly counts: readonly JobCount[]
  /** How long the oldest waiting job has waited, in seconds; 0 if none is waiting. */
  readonly oldestSeconds: number
  /** The live workers, and dead ones that have not been detected yet; the most recent heartbeat first. */
  readonly workers: readonly WorkerState[]
  /** Seconds since the hourly upkeep was queued; null if it never was. */
  readonly secondsSinceUpkeep: number | null
}

/** SQL of the state of a row `j` of jobs. */
export const stateOfJob = `
  case when j.locked_at is not null then 'running'
       when j.attempts >= j.max_attempts then 'failed'
       when j.run_at > now() then 'scheduled'
       else 'waiting' end`

const selectCounts = statement(
  'select_job_counts',
  `select t.identifier as job, s.state, count(*)::integer as count,
          coalesce(max(extract(epoch from now() - j.run_at)) filter (where s.state = 'waiting'), 0)::float8 as oldest
     from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id
    cross join lateral (select ${stateOfJob} as state) s
    group by t.identifier, s.state
    order by t.identifier, s.state`,
)

const selectWorkers = statement(
  'select_job_workers',
  `select w.id, w.version, w.started_at as "startedAt",
          extract(epoch from now() - w.beat_at)::float8 as "secondsSinceBeat"
     from job_workers w order by w.beat_at desc, w.id`,
)

const selectUpkeep = statement(
  'select_upkeep_time',
  `select extract(epoch from now() - max(c.last_execution))::float8 as seconds
     from graphile_worker._private_known_crontabs c where c.identifier = 'upkeep'`,
)

/** Returns the contents of the queue and its workers. Reads every job in the queue once. */
export async function readQueueState(database: Database): Promise<QueueState> {
  const counts = await database.search<JobCountRow>(selectCounts, [])
  const workers = await database.search<WorkerRow>(selectWorkers, [])
  const [upkeep] = await database.search(selectUpkeep, [])
  return {
    secondsSinceUpkeep: typeof upkeep?.seconds === 'number' ? upkeep.seconds : null,
    counts: counts.map(({ job, state, count }) => ({ job, state, count })),
    oldestSeconds: Math.max(0, ...counts.map(({ oldest }) => oldest)),
    workers,
  }
}

type JobCountRow = JobCount & { oldest: number } & Record<string, unknown>
type WorkerRow = WorkerState & Record<string, unknown>
