import { afterAll, beforeAll, expect, it } from 'vitest'
import { bulkJob } from '../../server/src/crm/bulk-jobs/run-bulk-job.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { nestedResources, resources, settingKinds } from '../../server/src/modules.ts'
import {
  createOperator,
  createTag,
  operator,
  removeSetting,
  setOrganization,
  tag,
} from '../../server/src/settings/index.ts'
import { operatorPath } from '../conformance/support/agent-requests.ts'
import { admitted, doneTasks, someRecords } from '../conformance/support/bulk-jobs.ts'
import { outcome } from '../conformance/support/requests.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { objectOf } from '../support/client.ts'
import { runJobs, startWorker } from '../support/jobs.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { endingInTurn } from './support/ending-in-turn.ts'

let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  api = await startApi()
  organization = await anOrganization(api)
})
afterAll(async () => {
  await api?.close()
  expect(api?.failures).toEqual([])
})

const dueNow = statement(
  'test_job_of_key_is_due',
  `update graphile_worker._private_jobs set run_at = now() where key like '%' || $1`,
)

const inTurn = (begin: readonly (() => Promise<string>)[]) => endingInTurn(api.test, organization, begin)

/** An operator whom the server has given a record, so that it knows of them, and has taken it away again. */
async function freeOperator(name: string): Promise<string> {
  const { client, id: organizationId } = organization
  const { id } = await createOperator(api.test, { organizationId, name, email: `${name}@acme.example` })
  const { data: contact } = await client.post('/contacts', aContact({ ownerUuid: id }))
  expect((await client.patch(`/contacts/${contact.id}`, { expectedVersion: 1, ownerUuid: null })).status).toBe(200)
  return id
}

async function remove(id: string, kind = operator): Promise<string> {
  const address = { organizationId: organization.id, kind, id }
  return removeSetting(api.test, address, [...resources, ...nestedResources, ...settingKinds]).then(
    () => 'removed',
    (error: Error) => error.message,
  )
}

const create = (ownerUuid: string) => async () =>
  String((await organization.client.post('/contacts', aContact({ ownerUuid }))).status)

it('a setting that a write is about to refer to stays when the write ends first', async () => {
  const id = await freeOperator('ann')
  const ends = await inTurn([create(id), () => remove(id)])
  expect(ends).toEqual(['201', 'the operator is in use by contacts (1): make it inactive instead'])
})

it('a write that assigns a tag waits for its removal, and the removal waits for the write', async () => {
  const { client, id: organizationId } = organization
  const assign = async (contactId: string, id: string) =>
    String((await client.put(`/contacts/${contactId}/tags`, { expectedVersion: 1, tags: [{ id }] })).status)
  for (let round = 0; round < 10; round += 1) {
    const { id } = await createTag(api.test, { organizationId, name: `Tag ${round}` }, ['contact'])
    const { data: contact } = await client.post('/contacts', aContact())
    const [assigned, removed] = await Promise.all([assign(String(contact.id), id), remove(id, tag)])
    expect([
      ['200', 'the tag is in use by contacts (1)'],
      ['404', 'removed'],
    ]).toContainEqual([assigned, removed])
  }
})

it('a write that has decided by a setting begins anew when the setting is removed first', async () => {
  const id = await freeOperator('bea')
  const other = await freeOperator('cleo')
  // The last of them refers to nothing that is removed: it begins anew too, and then ends well.
  const ends = await inTurn([() => remove(id), create(id), create(other)])
  expect(ends).toEqual(['removed', '422', '201'])
})

it('a person whom an AI operator is about to name stays, or is named no more', async () => {
  const { client } = organization
  const at = operatorPath(organization)
  for (let round = 0; round < 10; round += 1) {
    const id = await freeOperator(`person-${round}`)
    const [named, removed] = await Promise.all([client.patch(at, { handoff: { assigneeUuid: id } }), remove(id)])
    const now = objectOf((await client.get(at)).data.handoff).assigneeUuid
    expect([
      ['200', 'the operator is in use by ai operators (1): make it inactive instead', id],
      ['422 validation_error', 'removed', null],
    ]).toContainEqual([outcome(named), removed, now])
    await client.patch(at, { handoff: { assigneeUuid: null } })
  }
})

it('a write that has read a phone number begins anew when the country of the organization is changed first', async () => {
  const { client, id: organizationId } = organization
  const phones = [{ value: '030 1234567' }]
  let id: unknown
  const ends = await inTurn([
    async () => (await setOrganization(api.test, { organizationId, country: 'DE' })).country,
    async () => {
      const { status, data } = await client.post('/contacts', aContact({ contactData: { phones } }))
      id = data.id
      return String(status)
    },
  ])
  expect(ends).toEqual(['DE', '201'])
  const { data } = await client.get(`/contacts/${id}`)
  expect(data.contactData).toMatchObject({ phones: [{ e164: '+49301234567' }] })
})

it('a write that has decided before the organization is made read-only commits nothing after that', async () => {
  const { client, id: organizationId } = organization
  const ends = await inTurn([
    async () => String((await setOrganization(api.test, { organizationId, readOnly: true })).readOnly),
    async () => outcome(await client.post('/contacts', aContact())),
  ])
  expect(ends).toEqual(['true', '503 service_unavailable'])
  await setOrganization(api.test, { organizationId, readOnly: false })
  expect((await client.post('/contacts', aContact())).status).toBe(201)
})

it('a job that has decided before the organization is made read-only writes nothing after that, and goes on when it is writable', async () => {
  const { client, id: organizationId } = organization
  const tasks = await someRecords('task', 2, organization)
  const jobId = await admitted(client, doneTasks(tasks))
  const worker = startWorker(api, { jobs: [bulkJob] })
  const ends = await inTurn([
    async () => String((await setOrganization(api.test, { organizationId, readOnly: true })).readOnly),
    async () => {
      await until('the end of the attempt', () => worker.ended.length > 0)
      return worker.ended.map(({ error }) => String(error)).join()
    },
  ])
  await worker.stop()
  expect(ends).toEqual(['true', 'Error: the organization is read-only for the time being'])
  const statuses = async () => (await client.get('/tasks')).items.map(({ status }) => status)
  expect(await statuses()).toEqual(['todo', 'todo'])

  await setOrganization(api.test, { organizationId, readOnly: false })
  await api.test.database.search(dueNow, [jobId])
  await runJobs(api, [bulkJob])
  expect((await client.get(`/bulk-jobs/${jobId}`)).data).toMatchObject({ status: 'completed' })
  expect(await statuses()).toEqual(['done', 'done'])
})
