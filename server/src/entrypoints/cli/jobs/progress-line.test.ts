import { describe, expect, it } from 'vitest'
import { progressLine } from './follow-job.ts'
import type { ShownJob } from './job-reader.ts'

const job = (progress: Partial<NonNullable<ShownJob['progress']>> | null): ShownJob => ({
  id: 'x',
  job: 'bulk_job',
  organizationId: 'o',
  state: 'running',
  attempts: 1,
  runAt: '',
  workerId: null,
  reason: null,
  progress: progress && {
    status: 'running',
    startedAt: null,
    finishedAt: null,
    counters: {},
    done: 25,
    total: 100,
    secondsLeft: null,
    ...progress,
  },
})

describe('the line of a job', () => {
  it.each([
    [{ secondsLeft: 90 }, 80, 8, 27, '25 %  25 of 100 running, about 2 min left'],
    [{ done: 100, secondsLeft: 0, status: 'completed' }, 60, 29, 0, '100 %  100 of 100 completed'],
    [{ done: 0, total: 0 }, 40, 15, 0, '100 %  0 of 0 running'],
    [{}, 200, 10, 30, '25 %  25 of 100 running'],
  ])('of %o in %i columns has a bar that leaves room for the words', (progress, columns, full, empty, words) => {
    const shown = progressLine(job(progress), columns)
    expect(shown).toBe(`[${'#'.repeat(full)}${'.'.repeat(empty)}] ${words}`)
    expect(shown.length).toBeLessThan(columns)
  })

  it.each([
    [{ secondsLeft: 7 }, 0, '25 %  25 of 100 running, about 7 s left'],
    [{ secondsLeft: 9000 }, 30, '25 %  25 of 100 running, about 3 h left'],
    [{ total: null }, 80, 'running: 25 done'],
  ])('of %o in %i columns has no bar', (progress, columns, line) => {
    expect(progressLine(job(progress), columns)).toBe(line)
  })

  it('of a kind without a record is its state', () => {
    expect(progressLine(job(null), 80)).toBe('running')
  })
})
