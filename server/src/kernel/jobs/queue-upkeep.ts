import { shortWait, statement, whenFree } from '../sql/index.ts'
import { defineUpkeep } from './upkeep.ts'

const keptDays = 7

// A job that failed for good keeps the time of the retry that it no longer gets.
const removeFailed = statement(
  'remove_failed_jobs',
  `delete from graphile_worker._private_jobs j
    where j.attempts >= j.max_attempts and j.locked_at is null and j.run_at < now() - make_interval(days => $1)
   returning 1 as removed`,
)

// A queue to which somebody is adding a job must stay, or that job would never run: the lock waits for their commit.
const removeUnused = `
  begin;
  set local lock_timeout = '${shortWait}';
  lock table graphile_worker._private_job_queues in share row exclusive mode;
  delete from graphile_worker._private_job_queues q
   where q.locked_at is null and not exists (select from graphile_worker._private_jobs j where j.job_queue_id = q.id);
  commit`

/** Removes jobs that failed for good a week ago, and queues without jobs: each search for a job locks all free queues. */
export const queueUpkeep = defineUpkeep({
  name: 'jobs',
  async run({ database }) {
    const removed = await database.search(removeFailed, [keptDays])
    await whenFree(() => database.script(removeUnused), 10)
    return { removed: { failedJobs: removed.length } }
  },
})
