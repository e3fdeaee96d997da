import { setTimeout as sleep } from 'node:timers/promises'
import type { FoundJob } from '../../../kernel/jobs/index.ts'
import type { Streams } from '../command-line.ts'
import type { JobReader, ShownJob } from './job-reader.ts'

const everyMilliseconds = 1000

/**
 * Waits until a job has ended or failed for good, and shows its progress meanwhile: in a terminal in one line that is overwritten,
 * elsewhere in a line for each change. Resolves to the final state of the job.
 */
export async function followJob(found: FoundJob, reader: JobReader, { err, columns }: Streams): Promise<ShownJob> {
  for (let last = ''; ; ) {
    const job = await reader.read(found)
    const line = progressLine(job, columns ?? 0)
    if (columns !== undefined) err(`\r\u001B[K${line}`)
    else if (line !== last) err(`${line}\n`)
    last = line
    if (job.state === 'ended' || job.state === 'failed') {
      if (columns !== undefined) err('\n')
      return job
    }
    await sleep(everyMilliseconds)
  }
}

const widestBar = 40

/** One line about the progress of a job, with a bar if `columns` leaves space for one. */
export function progressLine({ state, progress }: ShownJob, columns: number): string {
  if (progress === null) return state
  const { status, done, total, secondsLeft } = progress
  if (total === null) return `${status}: ${done} done`
  const left = secondsLeft === null || secondsLeft === 0 ? '' : `, about ${durationOf(secondsLeft)} left`
  const text = `${percentOf(done, total)} %  ${done} of ${total} ${status}${left}`
  const width = Math.min(widestBar, columns - text.length - 4)
  if (width < 10) return text
  const full = total === 0 ? width : Math.floor((width * done) / total)
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${text}`
}

function percentOf(done: number, total: number): number {
  return total === 0 ? 100 : Math.floor((100 * done) / total)
}

function durationOf(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
