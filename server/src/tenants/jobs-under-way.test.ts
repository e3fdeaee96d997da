import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aChunk, aContext, admitted, byId, someRecords } from '../../../test/conformance/support/bulk-jobs.ts'
import { download } from '../../../test/conformance/support/files.ts'
import { csv, expectStatus, upload } from '../../../test/conformance/support/imports.ts'
import { startApi, type TestApi, TestClock } from '../../../test/support/api.ts'
import { Client, objectOf } from '../../../test/support/client.ts'
import { type Commands, commandsOn, removeFolder } from '../../../test/support/commands.ts'
import { runJobs } from '../../../test/support/jobs.ts'
import { noEntrypoints } from '../../../test/support/no-entrypoints.ts'
import { anOrganization, type TestOrganization } from '../../../test/support/organization.ts'
import { bulkJobUpkeep } from '../crm/bulk-jobs/index.ts'
import { exportsUpkeep } from '../crm/exports/exports-upkeep.ts'
import { exportJob } from '../crm/exports/run-export.ts'
import { importsUpkeep } from '../crm/imports/imports-upkeep.ts'
import { importJob } from '../crm/imports/run/import-job.ts'
import { type FileStore, Files } from '../kernel/files/index.ts'
import type { Services } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'

const clock = new TestClock()
const tasks = 150
const rows = 250
const perFile = { mapping: { lastName: 'Name', externalId: 'Key' }, dedupPolicy: 'create_only' }

let from: TestApi
let to: TestApi
let commands: readonly Commands[]
let organization: TestOrganization
let client: Client
let folder: string
const ids: Record<string, string> = {}

/** The services of a process that cannot write into the store any more. */
function stopping(services: Services): Services {
  const { store, links } = services.files
  const cut: FileStore = {
    put: () => Promise.reject(new Error('the process ends')),
    get: (key, range) => store.get(key, range),
    stat: key => store.stat(key),
    list: prefix => store.list(prefix),
    remove: key => store.remove(key),
    removeDrafts: () => store.removeDrafts(),
  }
  return { ...services, files: new Files(cut, links) }
}

const file = (name: string) =>
  csv(['Name', 'Key'], ...Array.from({ length: rows }, (_, index) => [`${name} ${index}`, `${name}-${index}`]))

async function started(name: string, more: object = {}): Promise<string> {
  const { id } = expectStatus(await upload(organization.client, file(name)), 201)
  expectStatus(await organization.client.post(`/imports/${id}/start`, { ...perFile, ...more }), 202)
  return String(id)
}

/** Does the first rows, as a process that is stopped behind them. */
async function oneChunk(importId: string): Promise<void> {
  const context = aContext({ services: stopping(from.services) }, organization)
  expect(await importJob.run({ importId }, { ...context, turnEnds: 0 })).toBe('again')
  expect((await organization.client.get(`/imports/${importId}`)).data.counters).toMatchObject({ created: 100 })
}

beforeAll(async () => {
  from = await startApi({ clock })
  to = await startApi({ clock })
  commands = [await commandsOn(from.test, noEntrypoints, from), await commandsOn(to.test, noEntrypoints, to)]
  folder = await mkdtemp(join(tmpdir(), 'crm-under-way-'))
  organization = await anOrganization(from)
  const targets = (await someRecords('task', tasks, organization)).map(byId)
  const change = (changes: object) => ({ entityType: 'task', action: 'update', targets, changes })
  ids.begunBulk = await admitted(organization.client, change({ status: 'done' }))
  ids.queuedBulk = await admitted(organization.client, change({ priority: 'high' }))
  await aChunk(from, organization, ids.begunBulk)

  ids.begunImport = await started('Begun')
  await oneChunk(ids.begunImport)
  ids.rehearsed = await started('Rehearsed', { dryRun: true })
  await oneChunk(ids.rehearsed)
  ids.canceling = await started('Canceling')
  await oneChunk(ids.canceling)
  expectStatus(await organization.client.post(`/imports/${ids.canceling}/cancel`), 200)
  ids.queuedImport = await started('Queued')
  ids.uploaded = String(expectStatus(await upload(organization.client, file('Uploaded')), 201).id)

  for (const name of ['begunExport', 'queuedExport'])
    ids[name] = String((await organization.client.post('/exports', { type: 'contacts' })).data.id)
  const cut = aContext({ services: stopping(from.services) }, organization)
  await expect(exportJob.run({ exportId: String(ids.begunExport) }, cut)).rejects.toThrow('the process ends')

  const path = join(folder, 'organization.zip')
  await commands[0]?.json('organization', 'export', organization.id, path)
  await commands[1]?.json('organization', 'import', path)
  const granted = ['--application', organization.applicationId, '--name', 'New', '--scopes', 'all']
  client = new Client(to.url, String((await commands[1]?.json('token', 'create', ...granted))?.token))
})

afterAll(async () => {
  for (const api of [from, to]) await api?.close()
  for (const each of commands) await removeFolder(each)
  await rm(folder, { recursive: true, force: true })
  expect([...from.failures, ...to.failures]).toEqual([])
})

const read = async (route: string, name: string) => (await client.get(`/${route}/${ids[name]}`)).data

it('jobs under way in an organization go on where it is imported, from where they were', async () => {
  expect(await read('bulk-jobs', 'begunBulk')).toMatchObject({ status: 'running', counters: { pending: 50 } })
  expect(await read('imports', 'begunImport')).toMatchObject({ status: 'running', counters: { pending: 150 } })
  expect(await read('exports', 'begunExport')).toMatchObject({ status: 'running' })

  clock.advance(61_000)
  for (const upkeep of [bulkJobUpkeep, exportsUpkeep, importsUpkeep])
    await upkeep.run(to.services, new AbortController().signal)
  const { failures } = await runJobs(to)
  expect(failures).toEqual([])

  for (const name of ['begunBulk', 'queuedBulk'])
    expect(await read('bulk-jobs', name)).toMatchObject({ status: 'completed', counters: { succeeded: tasks } })
  for (const name of ['begunImport', 'queuedImport', 'rehearsed']) {
    const found = await read('imports', name)
    expect([name, found.status, found.counters]).toMatchObject([name, 'completed', { created: rows, pending: 0 }])
  }
  expect(await read('imports', 'canceling')).toMatchObject({ status: 'canceled', counters: { created: 100 } })
  const [counted] = await to.test.database.search(countRecords, [organization.id])
  expect(counted).toEqual({ contacts: 2 * rows + 100, keys: 2 * rows + 100, changed: 2 * tasks })
  for (const name of ['begunExport', 'queuedExport']) {
    const { status, rowCount, downloadUrl } = await read('exports', name)
    const { bytes } = await download(downloadUrl)
    expect([name, status, bytes.toString().split('\r\n').length]).toEqual([name, 'completed', Number(rowCount) + 2])
  }
})

const countRecords = statement(
  'test_records_under_way',
  `select (select count(*)::integer from contacts c where c.organization_id = $1) as contacts,
          (select count(distinct k.key)::integer from external_keys k
            where k.organization_id = $1 and k.kind = 'contact') as keys,
          (select count(*)::integer from changes e
            where e.organization_id = $1 and e.resource_type = 'task' and e.job_id is not null) as changed`,
)

it('an upload can be started there', async () => {
  expectStatus(await client.post(`/imports/${ids.uploaded}/start`, perFile), 202)
  await runJobs(to)
  const { status, counters } = await read('imports', 'uploaded')
  expect([status, objectOf(counters).created]).toEqual(['completed', rows])
})

it('jobs go on in the old place too, where the organization stays', async () => {
  const { failures } = await runJobs(from)
  expect(failures).toEqual([])
  const { client: old } = organization
  expect((await old.get(`/bulk-jobs/${ids.begunBulk}`)).data).toMatchObject({ status: 'completed' })
  expect((await old.get(`/imports/${ids.begunImport}`)).data).toMatchObject({ status: 'completed' })
  expect((await old.get(`/exports/${ids.begunExport}`)).data).toMatchObject({ status: 'completed' })
})
