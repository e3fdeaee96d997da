import { describe, expect, it, onTestFinished } from 'vitest'
import { bounds, type Job } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startWorker } from '../support/jobs.ts'
import { anOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { add, aJob, queueOf, useQueue } from './support.ts'

const queue = useQueue()

/** Kinds of jobs that run until their names are free, and the names of those that run now. */
function heldKinds(count: number) {
  const running = new Set<string>()
  const free = new Set<string>()
  const kinds = Array.from({ length: count }, () => {
    const { job } = aJob(async (_, { signal }) => {
      running.add(job.name)
      await until('its release', () => free.has(job.name) || signal.aborted)
      running.delete(job.name)
      return 'done'
    })
    return job
  })
  return { kinds, running, free }
}

function start(jobs: readonly Job[]) {
  // If two workers ask at the same moment, one may overlook a job; it asks again then.
  setBound(bounds.queuePoll, 200)
  const worker = startWorker(queue.api, { jobs })
  onTestFinished(() => worker.stop())
  return worker
}

const waitingQueues = statement(
  'test_waiting_queues',
  `select q.queue_name as name from graphile_worker._private_job_queues q where q.locked_by = 'waiting' order by q.locked_at`,
)
const waiting = async () => (await queue.api.services.database.search(waitingQueues, [])).length

describe('an organization', () => {
  it('has two jobs of different kinds running at once and no third one, in whatever process, while others are served', async () => {
    const { kinds: jobs, running, free } = heldKinds(6)
    const { job: short } = aJob(async () => 'done')
    for (const job of jobs) await add(queue.api, queue.organization.id, { job, payload: {} })
    const workers = [start([...jobs, short]), start([...jobs, short])]
    await until(
      'all kinds but two to wait',
      async () => (await waiting()) === jobs.length - bounds.organizationJobs.most,
    )
    await until('both to run', () => running.size === bounds.organizationJobs.most)
    const first = [...running]

    const other = await anOrganization(queue.api)
    await add(queue.api, other.id, { job: short, payload: {} })
    await until('the job of the other organization', () => workers.some(({ ended }) => ended.length === 1))
    expect([...running]).toEqual(first)

    for (const name of first.slice(0, 1)) free.add(name)
    await until('the next one in the place that is free', () => running.size === 2 && [...running][0] === first[1])
    expect(await waiting()).toBe(jobs.length - 3)
    for (const { name } of jobs) free.add(name)
    await until(
      'the end of all',
      async () => (await Promise.all(jobs.map(job => queueOf(queue.api, job)))).flat().length === 0,
    )
    const ended = workers
      .flatMap(worker => worker.ended)
      .filter(({ organizationId }) => organizationId === queue.organization.id)
    expect(ended.map(({ attempt }) => attempt)).toEqual(jobs.map(() => 1))
    expect(workers.flatMap(({ failures }) => failures)).toEqual([])
  })

  it('gives the slot of a job that goes on to the one that has waited longest', async () => {
    const order: string[] = []
    const free = new Set<string>()
    const kinds = Array.from({ length: 4 }, () => {
      const { job, runs } = aJob(async (_, { signal }) => {
        order.push(job.name)
        await until('its release', () => free.delete(job.name) || signal.aborted)
        return runs.length === 1 ? 'again' : 'done'
      })
      return job
    })
    for (const job of kinds) await add(queue.api, queue.organization.id, { job, payload: {} })
    const worker = start(kinds)
    await until('two to wait', async () => (await waiting()) === 2 && order.length === 2)
    for (const turn of [0, 2]) {
      free.add(order[turn] ?? '')
      const before = order.length
      await until('the next one', () => order.length > before)
    }
    expect(order.slice(0, 4).sort()).toEqual(kinds.map(({ name }) => name).sort())
    await until('the end of all', () => {
      for (const { name } of kinds) free.add(name)
      return worker.ended.filter(({ outcome }) => outcome === 'done').length === 4
    })
    expect(await waiting()).toBe(0)
  })

  it('has a slot for one that waits when another one has failed', async () => {
    const { kinds: jobs, running } = heldKinds(1)
    let fail = false
    const { job: failing, runs } = aJob(async () => {
      await until('its time to fail', () => fail)
      throw new Error('failed')
    })
    const { job: another } = aJob(async () => 'done')
    for (const job of [...jobs, failing]) await add(queue.api, queue.organization.id, { job, payload: {} })
    const worker = start([...jobs, failing, another])
    await until('both to run', () => running.size === 1 && runs.length === 1)
    await add(queue.api, queue.organization.id, { job: another, payload: {} })
    await until('the third one to wait', async () => (await waiting()) === 1)
    fail = true
    await until('the third one', () =>
      worker.ended.some(({ job, outcome }) => job === another.name && outcome === 'done'),
    )
    expect(await queueOf(queue.api, failing)).toMatchObject([
      { attempts: 1, lastError: 'Error: see the log', lockedBy: null },
    ])
  })

  it('has the neighbours of a job that fails run before its next attempt', async () => {
    const { job, runs } = aJob(async ({ id }) => {
      if (id === 'fails') throw new Error('failed')
      return 'done'
    })
    for (const id of ['fails', 'neighbour']) await add(queue.api, queue.organization.id, { job, payload: { id } })
    const worker = start([job])
    await until('both', () => worker.ended.length === 2)
    expect(runs.map(({ payload }) => payload.id)).toEqual(['fails', 'neighbour'])
  })

  it('has no more running beside a process that was killed, whose slots are free when it is found silent', async () => {
    const kinds = Array.from({ length: 2 }, () => aJob(async () => 'done'))
    const { job: third, runs } = aJob(async () => 'done')
    const jobs = [...kinds.map(({ job }) => job), third]
    for (const { job } of kinds) await add(queue.api, queue.organization.id, { job, payload: {} })
    await queue.api.services.database.script(`
      insert into job_workers values ('killed', 'test', now(), now());
      update graphile_worker._private_job_queues set locked_at = now(), locked_by = 'killed';
      update graphile_worker._private_jobs set locked_at = now(), locked_by = 'killed', attempts = 1`)
    await add(queue.api, queue.organization.id, { job: third, payload: {} })
    const worker = start(jobs)
    await until('the third one to wait', async () => (await waiting()) === 1)
    await worker.stop()
    expect(runs).toEqual([])
    await queue.api.services.database.script(`
      update job_workers set beat_at = now() - interval '1 hour';
      update graphile_worker._private_job_queues set locked_at = now() - interval '1 hour';
      update graphile_worker._private_jobs set locked_at = now() - interval '1 hour' where locked_at is not null`)
    const heir = start(jobs)
    await until('the end of all', () => heir.ended.length === 3)
    expect([...kinds.map(kind => kind.runs), runs].map(([run]) => run?.context.attempt)).toEqual([2, 2, 1])
  })
})
