import { statement } from '../sql/index.ts'

// These statements use functions and tables of graphile_worker, as they are in the revision that `queueRevision` names. Its tables
// are not ours to change or distribute: they have no column `organization_id`, and the payload of a job names the organization.

export const insertJob = statement(
  'add_job',
  `select j.id from graphile_worker.add_job($1::text, $2::json, queue_name => $3::text, run_at => $4::timestamptz,
     max_attempts => $5::integer, job_key => $6::text) as j`,
)

// The library ends a job and asks for the next one at the same time, so it could overlook a job that waits for the same queue. So
// the task ends its job itself and frees the queue, before the library asks. What the library does then finds nothing left to do.
const endedJob = `
  own as (
    delete from graphile_worker._private_jobs j where j.id = $1::bigint and j.locked_by = $2::text returning j.*),
  freed as (
    update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
      from own where q.id = own.job_queue_id and q.locked_by = $2::text
    returning q.id, q.queue_name)`

/** Ends a job that is locked by this worker. */
export const endJob = statement('end_job', `with ${endedJob} select freed.id from freed`)

/**
 * Ends a job and adds it anew, behind all that wait, or at the time $3. If its key was taken from it, the job that has the key goes on with the work: the
 * job was added anew meanwhile, or canceled.
 */
export const queueAgain = statement(
  'queue_job_again',
  `with ${endedJob}
   select j.id
     from own
     join freed on true
     join graphile_worker._private_tasks t on t.id = own.task_id
    cross join lateral graphile_worker.add_job(t.identifier, (own.payload::jsonb - 'interrupted' - 'stuck')::json, queue_name => freed.queue_name,
            run_at => $3::timestamptz, max_attempts => own.max_attempts, job_key => own.key) as j
    where own.key is not null`,
)

/** Leaves a running job no more attempts: it fails for good when it ends. */
export const exhaustJob = statement(
  'exhaust_job',
  'update graphile_worker._private_jobs j set attempts = j.max_attempts where j.id = $1::bigint and j.locked_by = $2::text',
)

/** Leaves a running job one more attempt, in which it is given up. */
export const spareAttempt = statement(
  'spare_attempt_of_job',
  `update graphile_worker._private_jobs j set attempts = least(j.attempts, j.max_attempts - 1)
    where j.id = $1::bigint and j.locked_by = $2::text`,
)

export const selectOrganization = statement(
  'select_organization_of_job',
  'select o.read_only from organizations o where o.id = $1',
)

/** Notes where the processes that had a job have ended: $3 how far it had come, $4 how many have ended there. */
export const noteInterruption = statement(
  'note_interruption_of_job',
  `update graphile_worker._private_jobs j
      set payload = ((j.payload::jsonb - 'interrupted')
                     || jsonb_build_object('stuck', jsonb_build_object('at', $3::bigint, 'times', $4::integer)))::json
    where j.id = $1::bigint and j.locked_by = $2::text`,
)
