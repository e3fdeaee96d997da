import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { raiseEpochOf, statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { root } from '../support/compiled.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'

let api: TestApi
let organization: TestOrganization

beforeAll(async () => {
  api = await startApi()
})

beforeEach(async () => {
  await api.test.database.script('drop table if exists crm_messages, crm_position')
  organization = await anOrganization(api)
})

afterAll(() => api.close())

test('every event is in the queue once and in order, though programs are killed and two run at a time', async () => {
  const killed = carrier()
  const first = await begun()
  await createContacts(5)
  await until('the first messages', async () => (await messages()).length >= 3)
  killed.kill('SIGKILL')
  await createContacts(5)
  const waits = vi.spyOn(api.services.feedWaits, 'next')
  const two = [carrier(), carrier()]
  await until('both to wait at one position', () => waits.mock.calls.length >= 2)
  await createContacts(30)
  await until('all messages', async () => (await messages()).length >= 40)
  for (const program of two) program.kill('SIGTERM')
  expect(await Promise.all(two.map(endOf))).toEqual([0, 0])

  const events = []
  for (let after = first, hasMore = true; hasMore; ) {
    const { items, meta } = await organization.client.get(`/changes?after=${after}&limit=100`)
    events.push(...items)
    after = String(meta.nextCursor)
    hasMore = meta.hasMore === true
  }
  expect(events).toHaveLength(40)
  expect(await messages()).toEqual(events)
})

test('a program whose position the feed refuses ends, and adds nothing', async () => {
  const program = carrier('pipe')
  const said = program.stderr === null ? Promise.resolve('') : text(program.stderr)
  await begun()
  await api.test.database.query(raiseEpochOf, [organization.id])
  await createContacts(1)
  expect(await endOf(program)).toBe(1)
  expect(await said).toContain('cursor_expired')
  expect(await messages()).toEqual([])
})

/** Starts the example on the database of the API. It ends with the test. */
function carrier(stderr: 'inherit' | 'pipe' = 'inherit'): ChildProcess {
  const { location } = api.test
  if ('url' in location) throw new Error('the queue is on a server of the tests')
  const { host, port, user, database } = location
  const queue = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGDATABASE: database }
  const env = { PATH: process.env['PATH'], CRM_BASE_URL: api.url, CRM_TOKEN: organization.client.token, ...queue }
  const words = ['--import', 'tsx', join(root, 'examples/feed-to-queue/main.ts')]
  const program = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'ignore', stderr] })
  onTestFinished(() => void program.kill('SIGKILL'))
  return program
}

async function endOf(program: ChildProcess): Promise<number | null> {
  if (program.exitCode === null && program.signalCode === null) await once(program, 'exit')
  return program.exitCode
}

/** Waits for the position at which a program begins. */
function begun(): Promise<string> {
  const select = statement('test_select_queue_position', 'select p.cursor from crm_position p')
  return until('a position', async () => {
    const [row] = await api.test.database.query(select, []).catch(() => [])
    return row !== undefined && String(row.cursor)
  })
}

/** The events in the queue, in its order. */
async function messages(): Promise<unknown[]> {
  const select = statement('test_select_queue_messages', 'select m.body from crm_messages m order by m.number')
  return (await api.test.database.query(select, [])).map(({ body }) => body)
}

async function createContacts(count: number): Promise<void> {
  const created = Array.from({ length: count }, () => organization.client.post('/contacts', aContact()))
  for (const { status } of await Promise.all(created)) expect(status).toBe(201)
}
