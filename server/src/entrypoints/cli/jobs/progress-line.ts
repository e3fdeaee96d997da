import type { ShownJob } from './job-reader.ts'

const widestBar = 40

/** One line on how far a job has come, with a bar if there are this many columns for the line. */
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
