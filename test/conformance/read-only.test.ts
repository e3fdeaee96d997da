import { expect, it } from 'vitest'
import { setOrganization } from '../../server/src/settings/index.ts'
import type { Answer } from '../support/client.ts'
import { runJobs, startWorker } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { admitted, doneTasks, someRecords } from './support/bulk-jobs.ts'
import { aFile, attach } from './support/files.ts'
import { useApi } from './support/given.ts'
import { upload } from './support/imports.ts'
import { aBody, aRecord, outcome } from './support/requests.ts'

const given = useApi({ ownDatabase: true })

async function set({ id: organizationId }: TestOrganization, readOnly: boolean): Promise<void> {
  const { database, secret } = given.api.services
  await setOrganization({ database, secret }, { organizationId, readOnly })
}

function expectRefused(answers: readonly Answer[]): void {
  const refused = ['503 service_unavailable', { reason: 'read_only' }, '60']
  const told = answers.map(answer => [outcome(answer), answer.error.details, answer.headers.get('retry-after')])
  expect(told).toEqual(answers.map(() => refused))
}

it('an organization that is read-only refuses every write, and answers reads', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { id } = await aRecord('contact', organization)
  const deal = await aRecord('deal', organization)
  const { cursor } = (await client.get('/changes/cursor')).data
  await set(organization, true)

  expectRefused(
    await Promise.all([
      client.post('/contacts', await aBody('contact', organization)),
      client.patch(`/contacts/${id}`, { expectedVersion: 1, lastName: 'Lovelace' }),
      client.put(`/contacts/${id}/tags`, { expectedVersion: 1, tags: [] }),
      client.patch(`/deals/${deal.id}/move`, { expectedVersion: 1, stageUuid: organization.stages.second }),
      client.delete(`/deals/${deal.id}?expectedVersion=1`),
      attach(client, `/deals/${deal.id}`, 1, [aFile('text')]),
      upload(client, 'a,b\n1,2\n'),
      client.post('/bulk-jobs', doneTasks([{ id }])),
      client.post('/exports', { type: 'contacts' }),
    ]),
  )
  expect((await client.get(`/contacts/${id}`)).data).toMatchObject({ version: 1 })
  expect((await client.post('/contacts/batch/get', { items: [{ id }] })).status).toBe(200)
  expect((await client.get(`/changes?after=${cursor}`)).items).toEqual([])

  await set(organization, false)
  expect((await client.patch(`/contacts/${id}`, { expectedVersion: 1, lastName: 'Lovelace' })).status).toBe(200)
})

it('a request that was executed before is answered when it is repeated', async () => {
  const organization = await given.organization()
  const { client } = organization
  const body = await aBody('contact', organization)
  const first = await client.post('/contacts', body, { key: 'once' })
  await set(organization, true)
  const again = await client.post('/contacts', body, { key: 'once' })
  expect([again.status, again.data]).toEqual([201, first.data])
})

it('the jobs of an organization that is read-only wait until it is writable', async () => {
  const organization = await given.organization()
  const tasks = await someRecords('task', 2, organization)
  const jobId = await admitted(organization.client, doneTasks(tasks))
  await set(organization, true)
  const worker = startWorker(given.api)
  const due = `select j.run_at > now() as waits from graphile_worker._private_jobs j where j.key like '%' || $1`
  await until('the job to wait', async () => (await given.sql(due, [jobId]))[0]?.waits === true)
  const status = async () => (await organization.client.get(`/bulk-jobs/${jobId}`)).data.status
  expect(await status()).toBe('queued')
  await worker.stop()
  expect(worker.failures).toEqual([])
  await set(organization, false)
  await given.sql(`update graphile_worker._private_jobs set run_at = now() where key like '%' || $1`, [jobId])
  // A worker that has just started does not wait to be woken.
  expect((await runJobs(given.api)).failures).toEqual([])
  expect(await status()).toBe('completed')
})
