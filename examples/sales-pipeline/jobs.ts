import { setTimeout as pause } from 'node:timers/promises'

const longestPause = 5000

/** Reads a job of the CRM until it has ended. */
export async function untilEnded<Job extends { status: string }>(read: () => PromiseLike<Job>): Promise<Job> {
  for (let milliseconds = 100; ; milliseconds = Math.min(longestPause, milliseconds * 2)) {
    const job = await read()
    if (!['queued', 'running'].includes(job.status)) return job
    await pause(milliseconds)
  }
}
