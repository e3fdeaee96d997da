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

test('a request waits for one chunk on average while a job of its organization has a hundred and fifty', async () => {
  const organization = await anOrganization(api)
  await add(api, organization.id, await targetsOf(api.services.database, organization, 3000))
  worker = startWorker(api, { jobs: [touchJob] })
  const { ended } = worker
  await until('the job to run', () => ended.some(({ organizationId }) => organizationId === organization.id))
  const before = ended.length
  for (let index = 0; index < 60; index += 1)
    expect((await organization.client.post('/contacts', aContact())).status).toBe(201)
  expect(ended.length - before).toBeLessThanOrEqual(60)
  expect(await targetsLeft(api.services.database, organization.id)).toBeGreaterThan(0)
  await worker.stop()
})
