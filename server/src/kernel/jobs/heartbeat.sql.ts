import { statement } from '../sql/index.ts'

// The clock of the database is the only one that all workers share.

/** Records a heartbeat of a worker. `known` is false for its first heartbeat, and after the worker was taken for dead. */
export const beat = statement(
  'beat_worker',
  `insert into job_workers as w (id, version, started_at, beat_at) values ($1, $2, now(), now())
   on conflict (id) do update set beat_at = now()
   returning w.xmax <> 0 as known`,
)

export const removeWorker = statement('remove_worker', 'delete from job_workers w where w.id = $1')

/**
 * Releases the locks of workers that have sent no heartbeat for the given number of seconds, and removes these workers. A younger lock may
 * belong to a worker whose first heartbeat is under way. A queue can stay locked without a job if two workers ended the same job. A job
 * that was interrupted while it was being given up keeps one attempt for that: otherwise nobody would run it again, and its record would
 * never reach an end.
 */
export const freeLocks = statement(
  'free_locks_of_silent_workers',
  `with silent as (
     delete from job_workers w where w.beat_at < now() - make_interval(secs => $1) returning w.id),
   alive as (
     select w.id from job_workers w where w.beat_at >= now() - make_interval(secs => $1)),
   jobs as (
     update graphile_worker._private_jobs j
        set locked_at = null, locked_by = null, attempts = least(j.attempts, j.max_attempts - 1),
            payload = (j.payload::jsonb || '{"interrupted": true}')::json
      where j.locked_at < now() - make_interval(secs => $1) and j.locked_by not in (select a.id from alive a)
     returning j.id),
   queues as (
     update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
      where q.locked_at < now() - make_interval(secs => $1)
        and (q.locked_by not in (select a.id from alive a)
          or not exists (select from graphile_worker._private_jobs j where j.job_queue_id = q.id and j.locked_at is not null))
     returning q.id)
   select (select count(*) from silent) as workers, (select count(*) from jobs) as jobs,
          (select count(*) from queues) as queues`,
)

/** SQL that wakes this many sleeping workers, as the library does when it adds jobs. */
export function wakeSome(count: string): string {
  return `pg_notify('jobs:insert', json_build_object('r', random(), 'count', ${count})::text)`
}

/** Wakes $1 sleeping workers. */
export const wakeWorkers = statement('wake_workers', `select ${wakeSome('$1::integer')}`)
