import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import type { Browser } from '../support/browser.ts'
import { aTask } from '../support/builders.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { runJobs } from '../support/jobs.ts'
import { anOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase() })
})
afterAll(async () => {
  const { failures } = api
  await api.close()
  expect(failures).toEqual([])
})

const ends = {
  demoted: statement(
    'test_demote_who_started',
    `update memberships m set role = 'member' where m.organization_id = $1 and m.id = $2`,
  ),
  readOnly: statement(
    'test_take_right_to_write',
    `update memberships m set role = 'read_only' where m.organization_id = $1 and m.id = $2`,
  ),
  removed: statement('test_remove_who_started', 'delete from memberships m where m.organization_id = $1 and m.id = $2'),
}

async function aPerson(organizationId: string, role: 'owner' | 'manager') {
  const user = await aUser(api)
  const operatorId = await aMembership(api, user, organizationId, role)
  return { operatorId, browser: await aSignedInBrowser(api, user) }
}

/** Asks for a bulk job and an export, and resolves to their paths. */
async function queued(browser: Browser, organizationId: string): Promise<string[]> {
  const post = async (path: string, body: object) => {
    const headers = { 'idempotency-key': randomUUID() }
    const { status, data } = await browser.post(`/o/${organizationId}/crm${path}`, body, { headers })
    expect([path, status < 300]).toEqual([path, true])
    return String(data.id)
  }
  const targets = [{ id: await post('/tasks', aTask()) }]
  const bulk = { entityType: 'task', action: 'update', targets, changes: { status: 'done' } }
  return [`/bulk-jobs/${await post('/bulk-jobs', bulk)}`, `/exports/${await post('/exports', { type: 'contacts' })}`]
}

test.each([
  ['demoted', 'The user who began the job lacks crm_'],
  ['removed', 'The user who began the job is no longer a member of the organization'],
] as const)('jobs that wait when their user is %s fail and do nothing', async (end, reason) => {
  const { id } = await anOrganization(api)
  const [owner, manager] = [await aPerson(id, 'owner'), await aPerson(id, 'manager')]
  const paths = await queued(manager.browser, id)
  await api.test.database.query(ends[end], [id, manager.operatorId])
  await runJobs(api)
  for (const path of paths) {
    const { data } = await owner.browser.get(`/o/${id}/crm${path}`)
    const failure = { code: 'insufficient_scope', message: expect.stringContaining(reason) }
    expect([path, data.status, data.failure]).toEqual([path, 'failed', failure])
  }
  const { items } = await owner.browser.get(`/o/${id}/crm/tasks`)
  expect(items.map(({ status }) => status)).toEqual(['todo'])
})

test('a write that is repeated with its key after its user lost the role is refused, and its stored answer is not given', async () => {
  const { id } = await anOrganization(api)
  const manager = await aPerson(id, 'manager')
  const headers = { 'idempotency-key': randomUUID() }
  const write = () => manager.browser.post(`/o/${id}/crm/contacts`, { lastName: 'Petrova' }, { headers })
  const first = await write()
  expect((await write()).data.id).toBe(first.data.id)
  await api.test.database.query(ends.readOnly, [id, manager.operatorId])
  api.services.authentication.sessions.forget()
  const refused = await write()
  expect(refused).toMatchObject({ status: 403, error: { code: 'insufficient_scope' } })
  expect(JSON.stringify(refused)).not.toContain(first.data.id)
})
