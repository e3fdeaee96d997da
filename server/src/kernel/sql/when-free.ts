import { setTimeout as sleep } from 'node:timers/promises'
import { isLockTimeout } from './failure.ts'

/** How long a statement may wait for a lock that excludes all others from a table: later statements queue behind it. */
export const shortWait = '200ms'

const pauseMilliseconds = 500

/** Retries while another session, such as a backup, holds a lock; `attempt` waits for it no longer than `shortWait`. */
export async function whenFree<Result>(
  attempt: () => Promise<Result>,
  attempts = Number.POSITIVE_INFINITY,
): Promise<Result> {
  for (let left = attempts - 1; ; left -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isLockTimeout(error) || left === 0) throw error
    }
    await sleep(pauseMilliseconds)
  }
}
