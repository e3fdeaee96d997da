import { describe, expect, it } from 'vitest'
import { InterruptedJob, readQueueState } from '../../server/src/kernel/jobs/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { runJobs, startWorker } from '../support/jobs.ts'
import { until } from '../support/waiting.ts'
import { add, aJob, hurry, queueOf, useQueue } from './support.ts'

const queue = useQueue()

const lock = statement(
  'test_lock_job',
  `with w as (
     insert into job_workers (id, version, started_at, beat_at)
     values ($1, 'test', now(), now() - make_interval(secs => $3)) returning 1),
   q as (
     update graphile_worker._private_job_queues set locked_by = $1, locked_at = now() - make_interval(secs => $2) returning 1)
   update graphile_worker._private_jobs
      set locked_by = $1, locked_at = now() - make_interval(secs => $2), attempts = attempts + 1`,
)

/** Locks all jobs for so many seconds already, by a worker whose last beat is so many seconds ago. */
const lockAll = (worker: string, { lockedFor, silentFor }: { lockedFor: number; silentFor: number }) =>
  queue.api.services.database.search(lock, [worker, lockedFor, silentFor])

const age = `
  update job_workers set beat_at = now() - interval '1 hour';
  update graphile_worker._private_job_queues set locked_at = now() - interval '1 hour';
  update graphile_worker._private_jobs set locked_at = now() - interval '1 hour'`

const locked = async () =>
  (
    await queue.api.services.database.search(
      statement('test_locked_jobs', 'select locked_by from graphile_worker._private_jobs where locked_by is not null'),
      [],
    )
  ).length

describe('jobs that a worker has locked', () => {
  it('are run by another one when it has been silent for half a minute', async () => {
    const { job, runs } = aJob(async () => 'done')
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    await lockAll('killed', { lockedFor: 31, silentFor: 31 })
    const { freed } = await runJobs(queue.api, [job])
    expect([freed, runs.length]).toEqual([[1], 1])
    expect(runs[0]?.context.attempt).toBe(2)
    expect((await readQueueState(queue.api.services.database)).workers).toEqual([])
  })

  it.each([
    ['lives, however long they run', { lockedFor: 3600, silentFor: 20 }],
    ['was not heard of yet, if they are young', { lockedFor: 20, silentFor: 3600 }],
  ])('are left to it when it %s', async (_, ages) => {
    const { job, runs } = aJob(async () => 'done')
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    await lockAll(`slow ${ages.lockedFor}`, ages)
    const worker = startWorker(queue.api, { jobs: [job] })
    await until('the first beat', async () =>
      (await readQueueState(queue.api.services.database)).workers.some(
        ({ version, secondsSinceBeat }) => version === 'test' && secondsSinceBeat < 5,
      ),
    )
    await worker.stop()
    expect([worker.freed, runs.length, await locked()]).toEqual([[], 0, 1])
    await queue.api.services.database.script(age)
    await runJobs(queue.api, [job])
  })

  it.each(['done', 'again'] as const)('stay with another one when their part ends after all: %s', async outcome => {
    let end = () => {}
    const silence = new Promise<void>(resolve => {
      end = resolve
    })
    const { job, runs } = aJob(async () => {
      await silence
      return runs.length === 1 ? outcome : 'done'
    })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    const worker = startWorker(queue.api, { jobs: [job] })
    await until('its begin', () => runs.length > 0)
    const another = `another one, ${outcome}`
    await lockAll(another, { lockedFor: 0, silentFor: 0 })
    end()
    await until('its end', () => worker.ended.length > 0)
    await worker.stop()
    expect(worker.ended).toMatchObject([{ outcome }])
    expect(await queueOf(queue.api, job)).toMatchObject([{ lockedBy: another }])

    await queue.api.services.database.script(age)
    await runJobs(queue.api, [job])
    expect([runs.length, await locked()]).toEqual([2, 0])
  })

  it('are given up by another one, however often the process was killed while it gave up', async () => {
    let givenUp = 0
    const { job, runs } = aJob(async () => 'done', { attempts: 1, giveUp: async () => void (givenUp += 1) })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    for (const worker of ['killed at work', 'killed while it gave up', 'killed once more']) {
      await lockAll(worker, { lockedFor: 31, silentFor: 31 })
    }
    await runJobs(queue.api, [job])
    expect([runs.length, givenUp, await locked()]).toEqual([0, 1, 0])
  })

  it('are not begun a third time when two processes have ended in them, but go on where they got further', async () => {
    let done = 0
    const reasons: unknown[] = []
    const progressOf = () => ({ status: 'running', startedAt: null, finishedAt: null, counters: {}, done, total: null })
    const { job, runs } = aJob(() => Promise.reject(new Error('this attempt fails')), {
      interruptions: 2,
      progress: async () => progressOf(),
      giveUp: async (_payload, _context, error) => void reasons.push(error),
    })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    const endedAt = async (worker: string, place: number) => {
      done = place
      await hurry(queue.api)
      await lockAll(worker, { lockedFor: 31, silentFor: 31 })
      await runJobs(queue.api, [job])
    }
    await endedAt('ended at the beginning', 0)
    await endedAt('ended further on', 1)
    expect([runs.length, reasons]).toEqual([2, []])
    await endedAt('ended there again', 1)
    expect([runs.length, reasons]).toEqual([2, [expect.any(InterruptedJob)]])
  })
})
