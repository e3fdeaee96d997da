import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importsUpkeep } from '../../server/src/crm/imports/imports-upkeep.ts'
import { bounds } from '../../server/src/kernel/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { aForm } from '../conformance/support/forms.ts'
import { csv } from '../conformance/support/imports.ts'
import { aPerson, erase } from '../conformance/support/persons.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import type { Browser } from '../support/browser.ts'
import { aContact, aTask } from '../support/builders.ts'
import { sharedTestDatabase } from '../support/database.ts'
import { runJobs, startWorker } from '../support/jobs.ts'
import { anOrganization } from '../support/organization.ts'
import { aMembership, aSignedInBrowser, aUser } from '../support/people.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'

const clock = new TestClock()
let api: TestApi
beforeAll(async () => {
  api = await startApi({ test: await sharedTestDatabase(), clock })
})
afterAll(async () => {
  const { failures } = api
  await api.close()
  expect(failures).toEqual([])
})

const mapping = { externalId: 'Key', lastName: 'Last', birthDate: 'Born' }
const rows = csv(['Key', 'Last', 'Born'], ['a', 'Petrova', '1990-02-01'], ['b', 'Okafor', 'spring'])

/** An organization, and a member of it at a browser. */
async function aMember(role: Parameters<typeof aMembership>[3] = 'owner', organization = anOrganization(api)) {
  const { id, client } = await organization
  const user = await aUser(api)
  const member = await aMembership(api, user, id, role)
  const browser = await aSignedInBrowser(api, user)
  const at = (path: string) => `/o/${id}${path}`
  return {
    organization: await organization,
    client,
    member,
    browser,
    get: (path: string) => browser.get(at(path)),
    post: (path: string, body: unknown = {}) =>
      browser.post(at(path), body, { headers: { 'idempotency-key': newId() } }),
    patch: (path: string, body: unknown) => browser.patch(at(path), body, { headers: { 'idempotency-key': newId() } }),
    upload: (content = rows) => uploadBy(browser, id, content),
  }
}

type Member = Awaited<ReturnType<typeof aMember>>

function uploadBy(browser: Browser, organization: string, content: string) {
  const form = aForm([
    { name: 'file', fileName: 'people.csv', content },
    { name: 'entityType', content: 'contacts' },
  ])
  const headers = { ...form.headers, 'idempotency-key': newId() }
  return browser.call('POST', `/o/${organization}/crm/imports`, undefined, {
    headers,
    raw: Buffer.from(form.raw).toString(),
  })
}

const start = ({ post }: Member, id: unknown, more: object = {}) =>
  post(`/crm/imports/${id}/start`, { mapping, dedupPolicy: 'create_or_update', ...more })

/** An import that a member has checked. */
async function checked(member: Member, content = rows) {
  const { data } = await member.upload(content)
  expect((await start(member, data.id, { dryRun: true })).status).toBe(202)
  await runJobs(api)
  return String(data.id)
}

describe('a dry run of a user', () => {
  it('keeps its file, so that what was checked is started without another upload', async () => {
    const member = await aMember()
    const id = await checked(member)
    const { data: dry } = await member.get(`/crm/imports/${id}`)
    expect(dry).toMatchObject({
      status: 'completed_with_errors',
      dryRun: true,
      counters: { created: 1, failed: 1, pending: 0 },
      errors: [{ row: 3, column: 'Born', code: 'invalid_format' }],
    })
    expect((await member.client.get('/contacts')).items).toEqual([])
    const started = await start(member, id, { dryRun: false, onInvalidCell: 'leave_out' })
    expect(started.data).toMatchObject({
      status: 'queued',
      dryRun: false,
      counters: { created: 0, pending: 2 },
      errors: [],
      startedAt: null,
      finishedAt: null,
    })
    expect(started.data).not.toHaveProperty('errorsFileUrl')
    await runJobs(api)
    expect((await member.get(`/crm/imports/${id}`)).data).toMatchObject({ counters: { created: 2, failed: 0 } })
    expect((await member.client.get('/contacts')).items).toHaveLength(2)
    // The file went with the import, and the report files of the dry run with its start: those of the import are left.
    const { id: organizationId } = member.organization
    const text = 'select purpose from files where organization_id = $1 order by purpose'
    const files = await api.test.database.search({ name: '', text }, [organizationId])
    expect(files.map(({ purpose }) => purpose)).toEqual(['import_errors', 'import_rows'])
    expect((await start(member, id)).details).toMatchObject({ issues: [{ rule: 'status' }] })
  })

  it('can be previewed again, with another line of names', async () => {
    const member = await aMember()
    const id = await checked(member)
    const preview = await member.post(`/crm/imports/${id}/preview`, { headerRow: 2 })
    expect(preview.data.columns).toMatchObject([{ name: 'a' }, { name: 'Petrova' }, { name: '1990-02-01' }])
    const { data } = await member.get(`/crm/imports/${id}`)
    expect(data).toMatchObject({ status: 'ready', rowCount: 1, dryRun: false, errors: [], finishedAt: null })
  })

  it('counts as unfinished until it is started or canceled', async () => {
    setBound(bounds.organizationImports, 1)
    const member = await aMember()
    const id = await checked(member)
    const refused = await member.upload()
    expect(refused.details).toMatchObject({ oldest: [{ id, fileName: 'people.csv' }] })
    expect((await member.post(`/crm/imports/${id}/cancel`)).data.status).toBe('canceled')
    expect((await member.upload()).status).toBe(201)
    expect((await start(member, id)).status).toBe(422)
  })

  it('loses its file after seven days, and stays listed', async () => {
    const member = await aMember()
    const id = await checked(member)
    const upkeep = () => importsUpkeep.run(api.services, new AbortController().signal)
    const purposes = async () => {
      const text = `select purpose from files where organization_id = $1 and purpose = 'import'`
      return (await api.test.database.search({ name: '', text }, [member.organization.id])).length
    }
    clock.advance(7 * 86_400_000 - 1000)
    await upkeep()
    expect(await purposes()).toBe(1)
    clock.advance(2000)
    await upkeep()
    expect(await purposes()).toBe(0)
    const shown = await member.client.get(`/imports/${id}`)
    expect(shown.data).toMatchObject({ status: 'completed_with_errors', dryRun: true })
    const late = await member.client.post(`/imports/${id}/start`, { mapping, dedupPolicy: 'create_or_update' })
    expect([late.status, late.details]).toMatchObject([422, { status: 'completed_with_errors' }])
  })

  it('loses its file to the erasure of a person', async () => {
    const member = await aMember()
    const id = await checked(member)
    await erase(member.organization, (await aPerson(member.organization)).id, 'anonymize')
    expect((await start(member, id)).status).toBe(422)
  })
})

describe('the setup of an import', () => {
  it('has the last import of a file with the same columns', async () => {
    const member = await aMember()
    const { data: first } = await member.upload()
    await start(member, first.id, { onInvalidCell: 'leave_out' })
    await runJobs(api)
    const { data: other } = await member.upload(csv(['Key', 'Name'], ['a', 'Petrova']))
    await member.post(`/crm/imports/${other.id}/preview`)
    expect((await member.get(`/imports/${other.id}/setup`)).data.earlier).toBeNull()
    const { data: same } = await member.upload(csv(['Key', 'Last', 'Born'], ['c', 'Marino', '']))
    await member.post(`/crm/imports/${same.id}/preview`)
    const { data: setup } = await member.get(`/imports/${same.id}/setup`)
    expect(setup.earlier).toMatchObject({ id: first.id, mapping, onInvalidCell: 'leave_out' })
    expect((await member.get(`/imports/${newId()}/setup`)).status).toBe(404)
    const stranger = await aMember()
    expect((await stranger.get(`/imports/${same.id}/setup`)).status).toBe(404)
  })

  it('says whose ids the file has: those of an application, or of the file, under which a later file finds its records', async () => {
    const member = await aMember()
    const { client } = member
    const { data: theirs } = await client.post('/contacts', aContact({ externalId: 'a', lastName: 'Old' }))
    const run = async (applicationId?: string | null) => {
      const { data } = await member.upload(csv(['Key', 'Last', 'Born'], ['a', 'Petrova', '']))
      if (applicationId !== undefined) {
        const set = await member.patch(`/imports/${data.id}/setup`, { applicationId })
        expect(set.status).toBe(200)
      }
      await start(member, data.id)
      await runJobs(api)
      return (await member.get(`/crm/imports/${data.id}`)).data.counters
    }
    expect(await run()).toMatchObject({ created: 1, updated: 0 })
    expect(await run(null)).toMatchObject({ created: 0, unchanged: 1 })
    const { data } = await member.upload()
    const { applications } = (await member.get(`/imports/${data.id}/setup`)).data
    const [{ id: application }] = Array.isArray(applications) ? applications : []
    expect(applications).toEqual([{ id: application, name: 'Integration' }])
    expect(await run(application)).toMatchObject({ created: 0, unchanged: 1 })
    expect((await client.get(`/contacts/${theirs.id}`)).data).toMatchObject({ externalId: 'a', lastName: 'Old' })
    expect((await client.get('/contacts')).items).toHaveLength(2)
    const wrong = await member.patch(`/imports/${data.id}/setup`, { applicationId: newId() })
    expect([wrong.status, wrong.details.issues]).toMatchObject([422, [{ path: '/applicationId', rule: 'reference' }]])
    await start(member, data.id)
    expect((await member.patch(`/imports/${data.id}/setup`, { applicationId: null })).status).toBe(422)
    expect((await member.patch(`/imports/${newId()}/setup`, { applicationId: null })).status).toBe(404)
  })
})

describe('a user', () => {
  it('undoes an import, and the audit log names the user', async () => {
    const member = await aMember('manager')
    const { data } = await member.upload(csv(['Key', 'Last', 'Born'], ['a', 'Petrova', '']))
    const early = await member.post(`/imports/${data.id}/undo`)
    expect([early.status, early.details]).toMatchObject([422, { status: 'uploaded' }])
    await start(member, data.id)
    await runJobs(api)
    const begun = await member.post(`/imports/${data.id}/undo`)
    expect(begun.status).toBe(202)
    await runJobs(api)
    expect((await member.get(`/crm/imports/${data.id}`)).data).toMatchObject({
      undo: { status: 'completed', counters: { removed: 1, kept: 0 } },
      undoableUntil: null,
    })
    expect((await member.client.get('/contacts')).items).toEqual([])
    const { items } = await member.client.get('/audit?resourceType=import')
    const undone = items.find(({ action }) => action === 'import.undo_started')
    expect(undone).toMatchObject({ actorType: 'user', actorUserUuid: member.member })
    expect((await member.post(`/imports/${newId()}/undo`)).status).toBe(404)
  })

  it('cancels a bulk job, whose targets that were not handled are canceled', async () => {
    const member = await aMember()
    const { data: task } = await member.client.post('/tasks', aTask())
    const update = { entityType: 'task', action: 'update', targets: [{ id: task.id }], changes: { status: 'done' } }
    const { data: job } = await member.post('/crm/bulk-jobs', update)
    expect((await member.post(`/bulk-jobs/${job.id}/cancel`)).data).toEqual({ id: job.id })
    await runJobs(api)
    const { data } = await member.get(`/crm/bulk-jobs/${job.id}`)
    expect(data).toMatchObject({ status: 'canceled', counters: { canceled: 1, succeeded: 0 } })
    const late = await member.post(`/bulk-jobs/${job.id}/cancel`)
    expect([late.status, late.details]).toMatchObject([422, { status: 'canceled' }])
    expect((await member.post(`/bulk-jobs/${newId()}/cancel`)).status).toBe(404)
    const { items } = await member.client.get('/audit?resourceType=bulk_job')
    expect(items.find(({ action }) => action === 'bulk_job.canceled')).toMatchObject({ actorUserUuid: member.member })
  })

  it('cancels an own export, and an owner that of another', async () => {
    const manager = await aMember('manager')
    const colleague = await aMember('manager', Promise.resolve(manager.organization))
    const owner = await aMember('owner', Promise.resolve(manager.organization))
    const { data: first } = await manager.post('/crm/exports', { type: 'contacts' })
    const { data: second } = await manager.post('/crm/exports', { type: 'companies' })
    expect((await colleague.post(`/exports/${first.id}/cancel`)).status).toBe(404)
    expect((await manager.post(`/exports/${first.id}/cancel`)).status).toBe(200)
    expect((await owner.post(`/exports/${second.id}/cancel`)).status).toBe(200)
    await runJobs(api)
    expect((await manager.get(`/crm/exports/${first.id}`)).data).toMatchObject({
      status: 'failed',
      failure: { code: 'canceled' },
    })
    expect((await manager.post(`/exports/${first.id}/cancel`)).status).toBe(422)
  })

  it('sees the jobs of the organization in their order, and whether a worker is there', async () => {
    const member = await aMember()
    const other = await aMember()
    await other.post('/crm/exports', { type: 'contacts' })
    const { data: first } = await member.post('/crm/exports', { type: 'contacts' })
    const { data: second } = await member.post('/crm/exports', { type: 'companies' })
    expect((await member.get('/jobs/line')).data).toEqual({ workers: 0, ids: [first.id, second.id] })
    const worker = startWorker(api)
    await until('the heartbeat of the worker', async () => (await member.get('/jobs/line')).data.workers === 1)
    await until('the end of the jobs', async () => {
      const { ids } = (await member.get('/jobs/line')).data
      return Array.isArray(ids) && ids.length === 0
    })
    await worker.stop()
  })
})
