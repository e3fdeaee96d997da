import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { startWorker, type TestWorker } from '../support/jobs.ts'
import { anOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { add } from './support.ts'
import { createTargets, targetsLeft, targetsOf, touchJob } from './touch-job.ts'

let api: TestApi
let worker: TestWorker | undefined
beforeAll(async () => {
  api = await startApi({ connections: 12 })
  await api.services.database.script(createTargets)
})
afterAll(async () => {
  await worker?.stop()
  await api.close()
})

test('ten targets of one organization wait for two chunks at most of each that has ten thousand', async () => {
  const { database } = api.services
  // More than a process works on at a time.
  const loud = await Promise.all(Array.from({ length: 6 }, () => anOrganization(api)))
  for (const organization of loud) await add(api, organization.id, await targetsOf(database, organization, 10_000))
  worker = startWorker(api, { jobs: [touchJob] })
  const { ended } = worker
  await until('all loud jobs to have run', () => new Set(ended.map(({ organizationId }) => organizationId)).size === 6)
  const quiet = await anOrganization(api)
  await add(api, quiet.id, await targetsOf(database, quiet, 10))
  const before = ended.length
  await until('the end of the quiet job', () =>
    ended.some(({ organizationId, outcome }) => organizationId === quiet.id && outcome === 'done'),
  )
  const between = ended.slice(before)
  for (const { id } of loud)
    expect(between.filter(({ organizationId }) => organizationId === id).length).toBeLessThanOrEqual(4)
  expect(await targetsLeft(database, quiet.id)).toBe(0)
  for (const { id } of loud) expect(await targetsLeft(database, id)).toBeGreaterThan(9_000)
  expect(worker.failures).toEqual([])
  await worker.stop()
  await database.script('truncate test_targets')
})

test('the requests of an organization take at most twice as long while its job runs', async () => {
  const organization = await anOrganization(api)
  const medianOf = async (count: number) => {
    const times: number[] = []
    for (let index = 0; index < count; index += 1) {
      const begin = performance.now()
      expect((await organization.client.post('/contacts', aContact())).status).toBe(201)
      times.push(performance.now() - begin)
    }
    return times.sort((one, other) => one - other)[Math.floor(count / 2)] ?? 0
  }
  await medianOf(30)
  // What else the machine does can only add to it, so the best of some rounds counts.
  let ratio = Number.POSITIVE_INFINITY
  for (let round = 0; round < 8 && ratio >= 2; round += 1) {
    const alone = await medianOf(60)
    await add(api, organization.id, await targetsOf(api.services.database, organization, 3_000))
    worker = startWorker(api, { jobs: [touchJob] })
    const { ended } = worker
    await until('the job to run', () => ended.some(({ organizationId }) => organizationId === organization.id))
    const beside = await medianOf(60)
    await worker.stop()
    ratio = Math.min(ratio, beside / alone)
  }
  expect(ratio).toBeLessThan(2)
})
