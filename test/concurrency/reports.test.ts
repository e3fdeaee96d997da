import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aCompany } from '../support/builders.ts'
import type { Answer } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'

// The companies of one organization are read so slowly that its reports take longer than they may.

/** Half of the time after which a report would end by itself. */
const patience = bounds.reportAnswer.most / 2

let api: TestApi
let slow: TestOrganization
let other: TestOrganization
beforeAll(async () => {
  api = await startApi({ connections: 12 })
  slow = await anOrganization(api)
  other = await anOrganization(api)
  for (const { client } of [slow, other]) expect((await client.post('/companies', aCompany())).status).toBe(201)
  await api.test.database.script(`
    alter table companies rename to all_companies;
    create view companies as
      select * from all_companies
       where case when organization_id = '${slow.id}' then pg_sleep(600) is not null else true end`)
})
afterAll(() => api.close())

const countRunning = statement(
  'test_running_reports',
  `select count(*)::integer as running from pg_stat_activity
    where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and starts_with(query, '-- name: select_summary')`,
)

async function runningReports(): Promise<unknown> {
  const [row] = await api.test.database.search(countRunning, [])
  return row?.running
}

const reports = () => api.test.database.usage().find(({ pool }) => pool === 'reports')

/** Asks for a summary and is gone as soon as the function is called that it answers. */
function askAndLeave({ client }: TestOrganization): () => void {
  const headers = { authorization: `Bearer ${client.token}` }
  const asked = request(`${api.url}/api/v1/crm/analytics/summary`, { headers, agent: false })
  // The connection is ended before there is an answer.
  asked.on('error', () => {})
  asked.end()
  return () => asked.socket?.resetAndDestroy()
}

test('a report whose client is gone is cancelled in the database, and one that waits does not begin', async () => {
  const leaveFirst = askAndLeave(slow)
  await until('a report that runs', async () => (await runningReports()) === 1)
  const leaveSecond = askAndLeave(slow)
  await until('a report that waits', () => reports()?.waiting === 1)
  leaveSecond()
  await until('none that waits', () => reports()?.waiting === 0, patience)
  expect(await runningReports()).toBe(1)
  leaveFirst()
  await until('none that runs', async () => (await runningReports()) === 0, patience)
  expect(api.failures).toEqual([])
})

test('a report that takes too long gets a 503, as do those that wait for it, and other organizations are served meanwhile', async () => {
  const began = performance.now()
  const answers: (Answer & { readonly milliseconds: number })[] = []
  const all = Array.from({ length: bounds.organizationRequests.most - 1 }, async () => {
    const answer = await slow.client.get('/analytics/summary')
    answers.push({ ...answer, milliseconds: performance.now() - began })
  })
  await until('reports that wait', () => reports()?.waiting === all.length - 1)

  const summary = () => other.client.get('/analytics/summary')
  for (const { status, data } of [await summary(), await summary(), await summary()]) {
    expect([status, data.companies]).toEqual([200, { created: 1 }])
  }
  // Its own reports alone wait.
  expect((await slow.client.get('/deals')).status).toBe(200)
  expect((await slow.client.get('/deals?search=abc')).status).toBe(200)
  expect(reports()?.waiting).toBe(all.length - 1)

  await Promise.all(all)
  for (const { status, headers } of answers) expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  const [ran, ...others] = answers.filter(({ details }) => details.bound === undefined)
  expect([ran?.error.code, others]).toEqual(['service_unavailable', []])
  expect(ran?.milliseconds).toBeGreaterThanOrEqual(bounds.reportAnswer.most)
  expect(await runningReports()).toBe(0)
  const limit = bounds.reportPlace.most
  // They did not wait for the one that ran.
  expect(answers.at(-1)).toBe(ran)
  for (const { details } of answers.slice(0, -1)) expect(details).toEqual({ bound: 'reportPlace', limit })
  // It is told to the operator once, with its cause.
  expect(api.failures).toMatchObject([
    { error: { code: '57014' }, facts: { operation: 'analytics.summary', busy: true } },
  ])
}, 60_000)
