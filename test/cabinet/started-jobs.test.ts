import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aTask } from '../support/builders.ts'
import { sharedTestDatabase } from '../support/database.ts'
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

test('the list of jobs names the member who has started each, and the answers of the API do not', async () => {
  const organization = await anOrganization(api)
  const user = await aUser(api, { name: 'Olivia Grant' })
  const member = await aMembership(api, user, organization.id, 'owner')
  const browser = await aSignedInBrowser(api, user)
  const start = (path: string, body: object) =>
    browser.post(`/o/${organization.id}/crm/${path}`, body, { headers: { 'idempotency-key': newId() } })
  const task = await organization.client.post('/tasks', aTask())
  const update = { entityType: 'task', action: 'update', targets: [{ id: task.data.id }], changes: { status: 'done' } }
  const started = [await start('bulk-jobs', update), await start('exports', { type: 'contacts' })]
  expect(started.map(({ status }) => status)).toEqual([202, 202])
  for (const { data } of started) expect(data).not.toHaveProperty('startedBy')
  const { items } = await browser.get(`/o/${organization.id}/jobs`)
  expect(items.map(({ type, startedBy }) => [type, startedBy])).toEqual([
    ['export', { id: member, name: 'Olivia Grant' }],
    ['bulk_job', { id: member, name: 'Olivia Grant' }],
  ])
})
