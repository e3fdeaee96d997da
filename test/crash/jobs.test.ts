import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { add } from '../jobs/support.ts'
import { createTargets, targetsLeft, targetsOf, touchJob } from '../jobs/touch-job.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { testSecretText } from '../support/database.ts'
import { startWorker } from '../support/jobs.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { Random, seedOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const main = fileURLToPath(new URL('../jobs/worker-program.ts', import.meta.url))
const random = new Random(seedOf('CRASH_SEED'))

let api: TestApi
let organization: TestOrganization
const children: ChildProcess[] = []
beforeAll(async () => {
  api = await startApi()
  organization = await anOrganization(api)
  await api.services.database.script(createTargets)
})
afterAll(async () => {
  await Promise.all(children.map(kill))
  await api.close()
})

/** A worker in a process of its own. */
function start(isAlone: boolean): ChildProcess {
  const given = [
    JSON.stringify(api.test.location),
    testSecretText,
    api.dataDirectory,
    isAlone ? 'alone' : 'beside others',
  ]
  const words = ['--import', 'tsx', '--conditions=source', main, ...given]
  const child = spawn(process.execPath, words, { stdio: 'ignore' })
  children.push(child)
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

const left = () => targetsLeft(api.services.database, organization.id)

const selectHeld = statement(
  'test_job_is_held',
  'select count(*)::integer as held from graphile_worker._private_jobs j where j.locked_by is not null',
)

/** Whether a process has the job. It gives it back now and then, and is not always killed while it has it. */
async function isHeld(): Promise<boolean> {
  const [row] = await api.services.database.search(selectHeld, [])
  return row?.held === 1
}

const countEvents = statement(
  'test_touched_contacts',
  `select count(*)::integer as events, count(distinct resource_id)::integer as contacts, max(seq)::integer as last
     from changes where organization_id = $1`,
)

test('a job whose process is killed again and again does every target once, and goes on within a minute', async () => {
  // A process may do hundreds more before it is killed.
  const targets = 6000
  await add(api, organization.id, await targetsOf(api.services.database, organization, targets))
  // A process that knows that it is alone takes the job over at once, as the server of an embedded database does.
  for (let crash = 0, known = targets; crash < 4 || !(await isHeld()); crash += 1) {
    const child = start(true)
    const enough = known - random.between(20, 300)
    await until('work to interrupt', async () => (await left()) <= enough)
    await kill(child)
    known = await left()
  }
  expect(await left()).toBeGreaterThan(1000)

  // Another one may not take it before the killed one is known to be dead.
  const before = await left()
  const worker = startWorker(api, { jobs: [touchJob] })
  const begin = performance.now()
  await until('the job to go on', async () => (await left()) < before)
  expect(performance.now() - begin).toBeLessThan(60_000)
  await until('the end of the job', () => worker.ended.some(({ outcome }) => outcome === 'done'))
  await worker.stop()
  expect([worker.freed, worker.failures]).toEqual([[1], []])
  const [counted] = await api.services.database.query(countEvents, [organization.id])
  expect(counted).toEqual({ events: targets, contacts: targets, last: targets })
})
