import type { JobProgress } from './job.ts'

/**
 * How many seconds a job still takes if it goes on as it has since its start; null while that cannot be told, 0 when it has ended.
 * `now` is in milliseconds since the epoch.
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

/** JSON Schema of the answer of `secondsLeft`; `firstDone` tells from when on there is one: `targets are done`. */
export const secondsLeftSchema = (firstDone: string) => ({
  type: ['integer', 'null'],
  minimum: 0,
  description: `By the pace so far; null before the first ${firstDone}.`,
  example: 12,
})
