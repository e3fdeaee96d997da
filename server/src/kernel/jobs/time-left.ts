import type { JobProgress } from './job.ts'

/**
 * How many seconds a job still takes if it goes on as it has since its start; null while that cannot be told. `now` is in
 * milliseconds since the epoch.
 */
export function secondsLeft(
  { startedAt, done, total }: Omit<JobProgress, 'counters' | 'status'>,
  now: number,
): number | null {
  if (startedAt === null || total === null) return null
  if (done >= total) return 0
  const elapsed = (now - Date.parse(startedAt)) / 1000
  return done > 0 && elapsed > 0 ? Math.ceil((elapsed / done) * (total - done)) : null
}
