import { describe, expect, it } from 'vitest'
import { addJob, bounds } from '../../server/src/kernel/index.ts'
import { removeOrganization } from '../../server/src/tenants/index.ts'
import { runJobs, startWorker } from '../support/jobs.ts'
import { anOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { add, aJob, hurry, queueOf, type Run, useQueue } from './support.ts'

const queue = useQueue()

const idsOf = (runs: readonly Run[]) => runs.map(({ payload }) => payload.id)

/** A promise that the test keeps. */
function signal() {
  let give: () => void = () => {}
  const given = new Promise<void>(resolve => {
    give = resolve
  })
  return { given, give }
}

describe('a job', () => {
  it('is run after its transaction was committed, and not if it was rolled back', async () => {
    const { job, runs } = aJob(async () => 'done')
    await add(queue.api, queue.organization.id, { job, payload: { id: 'kept' } })
    const transaction = await queue.api.services.database.begin()
    await addJob(transaction, queue.organization.id, { job, payload: { id: 'rolled back' } })
    await transaction.rollback()
    const { ended } = await runJobs(queue.api, [job])
    expect(idsOf(runs)).toEqual(['kept'])
    expect(runs[0]?.context).toMatchObject({ organizationId: queue.organization.id, attempt: 1, isLastAttempt: false })
    expect(ended).toMatchObject([{ job: job.name, organizationId: queue.organization.id, outcome: 'done' }])
    expect(await queueOf(queue.api, job)).toEqual([])
  })

  it('that answers again is run again, behind those that wait', async () => {
    let left = 3
    const { job, runs } = aJob(async ({ id }) => (id === 'long' && (left -= 1) > 0 ? 'again' : 'done'))
    await add(queue.api, queue.organization.id, { job, payload: { id: 'long' } })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'short' } })
    await runJobs(queue.api, [job])
    expect(idsOf(runs)).toEqual(['long', 'short', 'long', 'long'])
    expect(runs.map(({ context }) => context.attempt)).toEqual([1, 1, 1, 1])
  })

  it('waits for its time', async () => {
    const { job, runs } = aJob(async () => 'done')
    await add(queue.api, queue.organization.id, {
      job,
      payload: { id: 'later' },
      runAt: new Date(Date.now() + 3_600_000),
    })
    await runJobs(queue.api, [job])
    expect(runs).toEqual([])
    await hurry(queue.api)
    await runJobs(queue.api, [job])
    expect(idsOf(runs)).toEqual(['later'])
  })

  it('replaces the one that waits under its key, and none of another organization', async () => {
    const other = await anOrganization(queue.api)
    const { job, runs } = aJob(async () => 'done')
    await add(queue.api, queue.organization.id, { job, payload: { id: 'first' }, key: 'same' })
    await add(queue.api, other.id, { job, payload: { id: 'of another' }, key: 'same' })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'second' }, key: 'same' })
    await runJobs(queue.api, [job])
    expect(idsOf(runs).sort()).toEqual(['of another', 'second'])
  })

  it('whose key is taken while it runs leaves the rest to the other', async () => {
    const taken = signal()
    const { job, runs } = aJob(async ({ id }) => {
      if (id === 'other') return 'done'
      await taken.given
      return 'again'
    })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'one' }, key: 'same' })
    const worker = startWorker(queue.api, { jobs: [job] })
    await until('the first run', () => runs.length === 1)
    await add(queue.api, queue.organization.id, { job, payload: { id: 'other' }, key: 'same' })
    taken.give()
    await until('both runs', async () => (await queueOf(queue.api, job)).length === 0)
    await worker.stop()
    expect(idsOf(runs)).toEqual(['one', 'other'])
  })

  it('of a kind that this version does not know stays in the queue', async () => {
    const { job: unknown, runs } = aJob(async () => 'done')
    const { job: known } = aJob(async () => 'done')
    await add(queue.api, queue.organization.id, { job: unknown, payload: { id: 'x' } })
    const worker = startWorker(queue.api, { jobs: [known] })
    await add(queue.api, queue.organization.id, { job: known, payload: { id: 'y' } })
    await until('the known job', () => worker.ended.length === 1)
    await worker.stop()
    expect(await queueOf(queue.api, unknown)).toMatchObject([{ attempts: 0, lastError: null }])
    await runJobs(queue.api, [unknown])
    expect(idsOf(runs)).toEqual(['x'])
  })

  it('of an organization that was removed ends without a failure', async () => {
    const { job, runs } = aJob(async () => 'done')
    await removeOrganization(queue.api.services, queue.organization.id, 'Test')
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    const { failures, ended } = await runJobs(queue.api, [job])
    expect([runs, failures, ended.map(({ outcome }) => outcome)]).toEqual([[], [], ['done']])
    expect(await queueOf(queue.api, job)).toEqual([])
  })
})

describe('jobs of one kind and organization', () => {
  it('run one after another, those of others at the same time', async () => {
    const other = await anOrganization(queue.api)
    // Nobody sleeps until the next poll while a job waits: that would be longer than the test waits for the jobs.
    setBound(bounds.queuePoll, 600_000)
    const met = signal()
    let running = 0
    let most = 0
    const { job } = aJob(async ({ id }) => {
      running += 1
      most = Math.max(most, running)
      if (running === 2) met.give()
      if (id === 'meets') await met.given
      running -= 1
      return 'done'
    })
    const rivals = [queue.organization.id, other.id]
    for (const id of rivals) await add(queue.api, id, { job, payload: { id: 'meets' } })
    for (const id of rivals) for (const name of ['b', 'c']) await add(queue.api, id, { job, payload: { id: name } })
    const { ended } = await runJobs(queue.api, [job])
    expect([ended.length, most]).toEqual([6, 2])
  })
})

describe('a job that throws', () => {
  it('is tried again later, and keeps a reason without the words of the error', async () => {
    const { job, runs } = aJob(async (_, { attempt }) => {
      if (attempt === 1) throw Object.assign(new TypeError('the phone +1 555 is wrong'), { code: 'E42' })
      return 'done'
    })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    const { ended } = await runJobs(queue.api, [job])
    expect(ended).toMatchObject([{ outcome: 'failed', attempt: 1, error: { message: 'the phone +1 555 is wrong' } }])
    expect(await queueOf(queue.api, job)).toMatchObject([{ attempts: 1, lastError: 'TypeError E42: see the log' }])
    await hurry(queue.api)
    await runJobs(queue.api, [job])
    expect([idsOf(runs), await queueOf(queue.api, job)]).toEqual([['x', 'x'], []])
  })

  it('gives up after its last attempt, once, and stays in the queue as failed', async () => {
    const givenUp: unknown[] = []
    const failure = new Error('never')
    const { job, runs } = aJob(() => Promise.reject(failure), {
      attempts: 2,
      giveUp: async (payload, { isLastAttempt }, error) => void givenUp.push({ payload, isLastAttempt, error }),
    })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await runJobs(queue.api, [job])
      await hurry(queue.api)
    }
    expect(runs.map(({ context }) => context.isLastAttempt)).toEqual([false, true])
    expect(givenUp).toEqual([{ payload: { id: 'x' }, isLastAttempt: true, error: failure }])
    expect(await queueOf(queue.api, job)).toMatchObject([{ attempts: 3, maxAttempts: 3, lockedBy: null }])
  })

  it('gets one chunk after a failed attempt, and a whole turn after that: a job that goes on is not given up', async () => {
    const wanted = [
      () => Promise.reject(new Error('interrupted')),
      async () => 'again' as const,
      async () => 'done' as const,
    ]
    const time: number[] = []
    const { job } = aJob((_, { turnEnds }) => {
      time.push(Math.max(0, turnEnds - performance.now()))
      return wanted[time.length - 1]?.() ?? Promise.reject(new Error('is not run again'))
    })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    await runJobs(queue.api, [job])
    await hurry(queue.api)
    await runJobs(queue.api, [job])
    expect(time).toEqual([expect.closeTo(bounds.jobTurn.most, -3), 0, expect.closeTo(bounds.jobTurn.most, -3)])
    expect(await queueOf(queue.api, job)).toEqual([])
  })

  it('gives up again until that could be done', async () => {
    let tries = 0
    const { job, runs } = aJob(() => Promise.reject(new Error('never')), {
      attempts: 1,
      giveUp: async () => {
        if ((tries += 1) < 4) throw new Error('not now')
      },
    })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await runJobs(queue.api, [job])
      await hurry(queue.api)
    }
    expect([runs.length, tries]).toEqual([1, 4])
  })
})

describe('a worker that is stopped', () => {
  it('lets a job end its chunk, and the job goes on elsewhere with all its attempts', async () => {
    const begun = signal()
    const { job, runs } = aJob(async (_, context) => {
      if (runs.length > 1) return 'done'
      begun.give()
      await until('the signal to stop', () => context.signal.aborted)
      return 'again'
    })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    const worker = startWorker(queue.api, { jobs: [job] })
    await begun.given
    await worker.stop()
    expect(worker.ended).toMatchObject([{ outcome: 'again' }])
    expect(await queueOf(queue.api, job)).toMatchObject([{ attempts: 0, lockedBy: null }])
    await runJobs(queue.api, [job])
    expect(idsOf(runs)).toEqual(['x', 'x'])
  })

  it('does not count an error that a job throws because of the stop', async () => {
    const begun = signal()
    const { job } = aJob(async (_, context) => {
      begun.give()
      await until('the signal to stop', () => context.signal.aborted)
      throw new Error('interrupted')
    })
    await add(queue.api, queue.organization.id, { job, payload: { id: 'x' } })
    const worker = startWorker(queue.api, { jobs: [job] })
    await begun.given
    await worker.stop()
    expect(worker.ended).toMatchObject([{ outcome: 'again' }])
    expect(await queueOf(queue.api, job)).toMatchObject([{ attempts: 0, lastError: null }])
  })
})
