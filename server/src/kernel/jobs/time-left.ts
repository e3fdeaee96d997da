import type { JobProgress } from './job.ts'

/**
 * Estimates how many seconds a job still takes at its average speed since its start; null while no estimate is possible, 0 when it has
 * ended. `now` is in milliseconds since the epoch.
 */
export function secondsLeft(
  { startedAt, finishedAt, done, total }: Pick<JobProgress, 'startedAt' | 'finishedAt' | 'done' | 'total'>,
  now: number,
): number | null {
  if (finishedAt !== null) return 0
  if (startedAt === null || total === null) return null
  if (done >= total) return 0
  const elapsed = (now - Date.parse(startedAt)) / 1000
  return done > 0 && elapsed > 0 ? Math.ceil((elapsed / done) * (total - done)) : null
}

/** JSON Schema of the result of `secondsLeft`; `firstDone` says from when there is an estimate: `targets are done`. */
export const secondsLeftSchema = (firstDone: string) => ({
  type: ['integer', 'null'],
  minimum: 0,
  description: `By the pace so far; null before the first ${firstDone}.`,
  example: 12,
})
