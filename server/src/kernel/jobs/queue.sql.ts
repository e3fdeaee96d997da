import { statement } from '../sql/index.ts'
import { wakeSome } from './heartbeat.sql.ts'

// These statements use functions and tables of graphile_worker, in the revision that `queueRevision` names. Its tables are not ours to
// change or distribute: they have no column `organization_id`, and the payload of a job names the organization.

/** The lock owner of a queue whose job waits for a slot. No worker has this name. */
const waiting = `'waiting'`

/**
 * Serializes starts and ends of jobs of one organization. $1 number of the lock. The lock is released with the transaction, and statements
 * after it see everything that earlier holders have committed.
 */
export const lockPlaces = statement('lock_places_of_jobs', 'select pg_advisory_xact_lock($1::bigint)')

// A queue has at most one running job, so the locked queues of an organization are its running jobs. `freeLocks` releases the queue of a
// worker that has died; it also ends the wait of a queue when a slot became free unnoticed.
//
// The library may still end a job by its id when its task has returned. So a job that stays in the queue gets a new id, and the library
// finds no row. A job whose key was taken from it does not stay: the job that has the key continues the work.
const stays = (values: string, condition: string) => `
  kept as (
    insert into graphile_worker._private_jobs
           (job_queue_id, task_id, priority, max_attempts, key, flags, payload, attempts, run_at, last_error)
    select o.job_queue_id, o.task_id, o.priority, o.max_attempts, o.key, o.flags, ${values}
      from own o where o.key is not null and ${condition}
    returning 1)`

/**
 * Gives a locked job a slot: $1 id, $2 worker, $3 the names of the queues of its organization, $4 how many of its jobs may run at a time,
 * $5 the organization. If no slot is free, the job goes back, and its queue waits until another job of the organization ends.
 */
export const takePlace = statement(
  'take_place_of_job',
  `with place as (
     select count(*) < $4::integer as is_free
       from graphile_worker._private_job_queues q
      where q.queue_name = any($3::text[]) and q.locked_at is not null and q.locked_by <> ${waiting}
        and q.id <> (select j.job_queue_id from graphile_worker._private_jobs j where j.id = $1::bigint)),
   own as (
     delete from graphile_worker._private_jobs j using place p
      where j.id = $1::bigint and j.locked_by = $2::text and not p.is_free
     returning j.*),
   held as (
     update graphile_worker._private_job_queues q set locked_at = now(), locked_by = ${waiting}
       from own where q.id = own.job_queue_id and q.locked_by = $2::text),
   ${stays('o.payload, greatest(0, o.attempts - 1), o.run_at, o.last_error', 'true')}
   select p.is_free, exists (select from own) as went_back, o.id as organization_id, o.read_only
     from place p left join organizations o on o.id = $5::uuid`,
)

/**
 * Ends an attempt of a locked job, and gives its slot to the queue of its organization that has waited longest; if the job has more to do,
 * its own queue waits behind that. $1 id, $2 worker, $3 the names of the queues of its organization, $4 how it ends: `done` removes the
 * job; `again` queues it behind all waiting jobs, or for the time $5; `failed` retries it later, for the reason $6; `given up` leaves it
 * no attempts. Returns no row if another worker has locked the job meanwhile.
 */
export const leavePlace = statement(
  'leave_place_of_job',
  `with own as (
     delete from graphile_worker._private_jobs j where j.id = $1::bigint and j.locked_by = $2::text returning j.*),
   next as (
     update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
      where q.locked_by = ${waiting} and exists (select from own)
        and q.id = (select w.id from graphile_worker._private_job_queues w
                     where w.queue_name = any($3::text[]) and w.locked_by = ${waiting}
                     order by w.locked_at, w.id limit 1)
     returning 1),
   freed as (
     update graphile_worker._private_job_queues q
        set locked_at = case when w.waits then now() end, locked_by = case when w.waits then ${waiting} end
       from own o
      cross join lateral (
        select case when not exists (select from next) then false
                    when $4::text = 'again' and $5::timestamptz is null then true
                    else exists (select from graphile_worker._private_jobs n
                                  where n.job_queue_id = o.job_queue_id and n.id <> o.id and n.is_available and n.run_at <= now())
               end as waits) w
      where q.id = o.job_queue_id and q.locked_by = $2::text),
   ${stays(
     `case when $4::text = 'again' then (o.payload::jsonb - 'interrupted' - 'stuck')::json else o.payload end,
           case $4 when 'again' then 0 when 'given up' then o.max_attempts else least(o.attempts, o.max_attempts - 1) end,
           case $4 when 'again' then coalesce($5::timestamptz, now())
                   else greatest(now(), o.run_at) + exp(least(o.attempts, 10)) * interval '1 second' end,
           $6::text`,
     `$4 <> 'done'`,
   )}
   select case when w.count > 0 then ${wakeSome('w.count')} end
     from own cross join (select (select count(*) from kept) + (select count(*) from next) as count) w`,
)

export const selectOrganization = statement(
  'select_organization_of_job',
  'select o.id from organizations o where o.id = $1',
)

/** Notes that processes have ended while running a job: $3 its progress, $4 how many have ended there. */
export const noteInterruption = statement(
  'note_interruption_of_job',
  `update graphile_worker._private_jobs j
      set payload = ((j.payload::jsonb - 'interrupted')
                     || jsonb_build_object('stuck', jsonb_build_object('at', $3::bigint, 'times', $4::integer)))::json
    where j.id = $1::bigint and j.locked_by = $2::text`,
)
