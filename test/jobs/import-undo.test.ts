import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { csv, importFile } from '../conformance/support/imports.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { objectOf } from '../support/client.ts'
import { type Commands, commandsOn, removeFolder } from '../support/commands.ts'
import { runJobs } from '../support/jobs.ts'
import { noEntrypoints } from '../support/no-entrypoints.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

let api: TestApi
let organization: TestOrganization
let commands: Commands
beforeAll(async () => {
  api = await startApi()
  commands = await commandsOn(api.test, noEntrypoints)
})
afterAll(async () => {
  await removeFolder(commands)
  await api.close()
})
beforeEach(async () => {
  organization = await anOrganization(api)
})

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/u)
const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => [`k${index}`, 'Anna'])

/** Imports contacts; resolves to the id of the import. */
async function imported(rows: readonly (readonly string[])[] = rowsOf(3)): Promise<string> {
  const mapping = { externalId: 'k', firstName: 'n' }
  return String((await importFile(api, organization.client, csv(['k', 'n'], ...rows), { mapping })).id)
}

const shown = async (id: string): Promise<JsonObject> => (await organization.client.get(`/imports/${id}`)).data
const countOfContacts = async () => (await organization.client.get('/contacts?limit=100')).items.length

describe('job undo', () => {
  it('undoes an import in the background, and tells afterwards what stays', async () => {
    const id = await imported()
    const [contact] = (await organization.client.get('/contacts?externalId=k0')).items
    await organization.client.patch(`/contacts/${contact?.id}`, { expectedVersion: 1, firstName: 'Olga' })
    const { out } = await commands.run(['job', 'undo', id])
    expect(out).toMatch(/^status +queued$/mu)
    const jobId = /see job show ([0-9a-f-]{36}) --follow\.\n$/u.exec(out)?.[1] ?? ''
    expect(await commands.json('job', 'show', jobId)).toMatchObject({
      job: 'import_undo',
      organizationId: organization.id,
      progress: { status: 'queued', done: 0 },
    })
    await runJobs(api)
    expect(await commands.json('job', 'undo', id, '--follow')).toMatchObject({
      id: jobId,
      importId: id,
      organizationId: organization.id,
      status: 'completed',
      total: 3,
      removed: 2,
      kept: 1,
      records: [{ resourceType: 'contact', id: contact?.id, reason: 'changed', fields: [] }],
    })
    expect(await countOfContacts()).toBe(1)
    const { entries } = await commands.json('audit', 'list', '--organization', organization.id, '--resource', 'import')
    expect(entries).toMatchObject([
      { action: 'import.undone', commandUser: null, jobId: id },
      { action: 'import.undo_started', commandUser: expect.stringMatching(/./u), jobId: null },
      { action: 'import.completed' },
      { action: 'import.started' },
      { action: 'import.created' },
    ])
  })

  it('goes on where it was canceled', async () => {
    const id = await imported()
    const { id: jobId } = await commands.json('job', 'undo', id)
    expect(jobId).toEqual(uuid)
    await commands.json('job', 'cancel', String(jobId))
    await runJobs(api)
    expect(await shown(id)).toMatchObject({ undo: { status: 'canceled' }, undoableUntil: expect.any(String) })
    expect(await countOfContacts()).toBe(3)
    expect(await commands.json('job', 'undo', id)).toMatchObject({ id: jobId, status: 'queued' })
    await runJobs(api)
    expect(await shown(id)).toMatchObject({ undo: { status: 'completed', counters: { removed: 3 } } })
    expect(await countOfContacts()).toBe(0)
  })

  it('names an import that does not exist', async () => {
    for (const id of ['x', '01a21d4d-7966-7c25-8990-5d9089205a90'])
      expect(await commands.reasonOf('job', 'undo', id)).toBe(`no such import: ${id}`)
  })

  it('says why an import cannot be undone', async () => {
    const mapping = { externalId: 'k', firstName: 'n' }
    const { id } = await importFile(api, organization.client, csv(['k', 'n'], ...rowsOf(1)), { mapping, dryRun: true })
    expect(await commands.reasonOf('job', 'undo', String(id))).toBe('A dry run has changed nothing')
  })
})

describe('the undo of an import', () => {
  const breakOne = [
    `create function test_refuse() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`,
    `create trigger test_refuse before delete on contacts for each row when (old.first_name = 'Broken') execute function test_refuse()`,
  ]
  const mend = ['drop trigger test_refuse on contacts', 'drop function test_refuse()']
  const run = async (texts: readonly string[]) => {
    for (const text of texts) await api.test.database.script(text)
  }

  it('passes over a record on which the server fails, and takes the others back', async () => {
    const id = await imported([...rowsOf(2), ['broken', 'Broken'], ['last', 'Anna']])
    await commands.json('job', 'undo', id)
    await run(breakOne)
    await runJobs(api).finally(() => run(mend))
    const [contact] = (await organization.client.get('/contacts')).items
    expect(contact).toMatchObject({ externalId: 'broken', version: 1 })
    expect((await shown(id)).undo).toMatchObject({
      status: 'completed',
      counters: { done: 4, removed: 3, kept: 1 },
      kept: [{ id: contact?.id, reason: 'failed' }],
    })
    expect(api.failures.splice(0)).not.toEqual([])
  })

  it('fails when the audit entries that it needs are no longer kept', async () => {
    const id = await imported()
    await commands.json('job', 'undo', id)
    const age = statement(
      'test_age_of_import',
      `update imports set started_at = started_at - interval '366 days' where organization_id = $1 returning 1`,
    )
    await api.test.database.search(age, [organization.id])
    await runJobs(api)
    expect((await shown(id)).undo).toMatchObject({ status: 'failed', failure: { code: 'expired' } })
    expect(await shown(id)).toMatchObject({ undoableUntil: null })
    expect(await countOfContacts()).toBe(3)
  })

  it('counts what it has done after each chunk', async () => {
    const id = await imported(rowsOf(250))
    await commands.json('job', 'undo', id)
    await runJobs(api)
    expect(objectOf((await shown(id)).undo).counters).toEqual({
      total: 250,
      done: 250,
      removed: 250,
      restored: 0,
      kept: 0,
    })
  })
})
