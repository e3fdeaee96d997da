import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cancelJob } from '../../server/src/entrypoints/cli/commands/job.ts'
import { followJob } from '../../server/src/entrypoints/cli/jobs/follow-job.ts'
import { JobReader } from '../../server/src/entrypoints/cli/jobs/job-reader.ts'
import type { Job, JobProgress } from '../../server/src/kernel/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { type Commands, commandsOn, removeFolder } from '../support/commands.ts'
import { runJobs, startWorker } from '../support/jobs.ts'
import { noEntrypoints } from '../support/no-entrypoints.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { add, aJob, hurry, queueOf } from './support.ts'

let api: TestApi
let organization: TestOrganization
let commands: Commands
beforeAll(async () => {
  api = await startApi()
  organization = await anOrganization(api)
  commands = await commandsOn(api.test, noEntrypoints)
})
afterAll(async () => {
  await removeFolder(commands)
  await api.close()
})

const readerOf = (...jobs: Job[]) => new JobReader(api.services, jobs)
const addAs = (job: Job, key: string, more = {}) =>
  add(api, organization.id, { job, payload: { id: key }, key, ...more })
const later = { runAt: new Date(Date.now() + 3_600_000) }

describe('job list', () => {
  it('lists the jobs in the queue, by organization and state', async () => {
    const other = await anOrganization(api)
    const { job } = aJob(() => Promise.reject(new Error('never')), { attempts: 1 })
    await addAs(job, 'fails')
    await runJobs(api, [job])
    await addAs(job, 'waits')
    await addAs(job, 'of the future', later)
    await add(api, other.id, { job, payload: {}, key: 'of another' })
    const idsOf = async (...words: string[]) => {
      const { jobs } = await commands.json('job', 'list', ...words)
      return (Array.isArray(jobs) ? jobs : []).map(({ id }) => id)
    }
    expect(await idsOf('--organization', organization.id)).toEqual(['waits', 'fails', 'of the future'])
    expect(await idsOf('--organization', other.id)).toEqual(['of another'])
    expect(await idsOf('--state', 'failed')).toEqual(['fails'])
    expect(await idsOf('--state', 'scheduled')).toEqual(['of the future'])
    const { out } = await commands.run(['job', 'list', '--state', 'failed'])
    expect(out).toMatch(
      /^id +job +organization id +state +attempts +run at +reason\nfails +test_\d+ .* failed .* Error: see the log\n$/u,
    )
    for (const name of ['waits', 'of the future', 'of another']) await commands.json('job', 'cancel', name)
    expect(await idsOf('--state', 'waiting')).toEqual([])
  })
})

describe('job retry', () => {
  it('makes a failed job due, with all its attempts', async () => {
    let isBroken = true
    const { job, runs } = aJob(
      async () => {
        if (isBroken) throw new Error('broken')
        return 'done'
      },
      { attempts: 1 },
    )
    await addAs(job, 'mended')
    await runJobs(api, [job])
    isBroken = false
    await runJobs(api, [job])
    expect(runs).toHaveLength(1)
    expect(await commands.json('job', 'retry', 'mended')).toEqual({ id: 'mended' })
    await runJobs(api, [job])
    expect([runs.length, await queueOf(api, job)]).toEqual([2, []])
  })

  it('knows no job that has ended', async () => {
    expect(await commands.reasonOf('job', 'retry', 'mended')).toBe(
      'no job mended is in the queue: it has ended, or there never was one',
    )
  })
})

describe('job show', () => {
  it('shows the progress of the record, and the remaining time', async () => {
    const progress: JobProgress = {
      status: 'running',
      startedAt: new Date(api.services.clock.now() - 60_000).toISOString(),
      finishedAt: null,
      counters: { succeeded: 20, failed: 5 },
      done: 25,
      total: 100,
    }
    const { job } = aJob(async () => 'done', { progress: async ({ id }) => (id === 'shown' ? progress : null) })
    await addAs(job, 'shown')
    const shown = await readerOf(job).read(await readerOf(job).find('shown'))
    expect(shown).toMatchObject({
      id: 'shown',
      job: job.name,
      organizationId: organization.id,
      state: 'waiting',
      progress,
    })
    expect(shown.progress?.secondsLeft).toBeGreaterThanOrEqual(180)
    expect(await commands.json('job', 'show', 'shown')).toMatchObject({ id: 'shown', state: 'waiting', progress: null })
    await runJobs(api, [job])
  })

  it('with --follow goes on until the job has ended', async () => {
    let done = 0
    const { job } = aJob(
      async () => {
        done += 1
        return done < 3 ? 'again' : 'done'
      },
      {
        progress: async () => ({
          status: done < 3 ? 'running' : 'completed',
          startedAt: null,
          finishedAt: null,
          counters: {},
          done,
          total: 3,
        }),
      },
    )
    await addAs(job, 'followed')
    let printed = ''
    const streams = { out: () => {}, err: (text: string) => void (printed += text) }
    const reader = readerOf(job)
    const following = followJob(await reader.find('followed'), reader, { ...streams, columns: 60 })
    await until('the first line', () => printed !== '')
    await runJobs(api, [job])
    expect(await following).toMatchObject({ state: 'ended', progress: { status: 'completed', done: 3 } })
    expect(printed).toContain('\r\u001B[K[')
    expect(printed).toMatch(/100 % {2}3 of 3 completed\n$/u)
  })
})

describe('job cancel', () => {
  it('lets a kind mark its record, and the job ends when it runs next', async () => {
    let isCanceled = false
    const { job, runs } = aJob(async () => (isCanceled ? 'done' : 'again'), {
      cancel: async () => void (isCanceled = true),
    })
    await addAs(job, 'marked', later)
    expect(await cancelJob(readerOf(job), 'marked')).toBe('ends')
    await runJobs(api, [job])
    expect([isCanceled, runs.length, await queueOf(api, job)]).toEqual([true, 1, []])
  })

  it('leaves a running job of another kind alone', async () => {
    let isHeld = true
    const { job } = aJob(async () => {
      await until('the end of the test', () => !isHeld)
      return 'done'
    })
    await addAs(job, 'busy')
    const worker = startWorker(api, { jobs: [job] })
    await until('the job to run', async () => (await queueOf(api, job))[0]?.lockedBy)
    expect(await commands.reasonOf('job', 'cancel', 'busy')).toBe(
      `the job is running, and a job of the kind ${job.name} ends by itself alone`,
    )
    isHeld = false
    await worker.stop()
    await hurry(api)
  })
})
