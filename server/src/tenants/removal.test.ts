import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../../test/support/api.ts'
import { contentIn, entriesOf } from '../../../test/support/archive.ts'
import { aContact } from '../../../test/support/builders.ts'
import { Client, objectOf } from '../../../test/support/client.ts'
import { type Commands, commandsOn, removeFolder } from '../../../test/support/commands.ts'
import { aFullOrganization } from '../../../test/support/full-organization.ts'
import { hold } from '../../../test/support/hold.ts'
import { noEntrypoints } from '../../../test/support/no-entrypoints.ts'
import { anOrganization, type TestOrganization } from '../../../test/support/organization.ts'
import { rowsOf } from '../../../test/support/tenant-rows.ts'
import { until } from '../../../test/support/waiting.ts'
import { statement } from '../kernel/sql/index.ts'

let api: TestApi
let commands: Commands
let folder: string

beforeAll(async () => {
  api = await startApi()
  commands = await commandsOn(api.test, noEntrypoints, api)
  folder = await mkdtemp(join(tmpdir(), 'crm-tenants-'))
})

afterAll(async () => {
  await api.close()
  await removeFolder(commands)
  await rm(folder, { recursive: true, force: true })
})

const rows = ({ id }: TestOrganization) => rowsOf(api.test.database, id)
const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((one, other) => one + other, 0)
const remove = ({ id }: TestOrganization, name = 'Test') => ['organization', 'remove', id, '--confirm', name]

/** Everything of it as text. */
async function contentOf({ id }: TestOrganization): Promise<Record<string, string>> {
  const file = join(folder, `${id}.zip`)
  await commands.json('organization', 'export', id, file)
  return contentIn(await entriesOf(file))
}

describe('removing an organization', () => {
  it('needs its name', async () => {
    const organization = await anOrganization(api)
    const before = await rows(organization)
    const { id } = organization
    expect(await commands.reasonOf(...remove(organization, 'test'))).toBe(
      `the organization ${id} is not named "test": nothing was removed`,
    )
    expect(await commands.reasonOf('organization', 'remove', id)).toContain("'--confirm <name>' not specified")
    expect(await commands.reasonOf('organization', 'remove', 'x', '--confirm', 'Test')).toBe('no such organization: x')
    expect(await rows(organization)).toEqual(before)
    expect((await organization.client.get('/contacts')).status).toBe(200)
  })

  it('leaves no row of it, and all rows of others', async () => {
    const [organization, other] = await Promise.all([aFullOrganization(api), aFullOrganization(api)])
    await api.services.authentication.requests.write()
    const [before, kept] = [await rows(organization), await contentOf(other)]
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([])
    const { rows: removed, ...told } = await commands.json(...remove(organization))
    expect(told).toEqual({ id: organization.id, name: 'Test', total: sum(before) })
    expect(removed).toEqual(before)
    expect(sum(await rows(organization))).toBe(0)
    const folders = await readdir(join(api.dataDirectory, 'files', organization.id, 'attachment'))
    expect(folders).toEqual([])
    expect(await readdir(join(api.dataDirectory, 'files', other.id, 'attachment'))).not.toEqual([])
    expect(await contentOf(other)).toEqual(kept)
    expect((await other.client.get('/contacts')).status).toBe(200)
    expect(await commands.reasonOf(...remove(organization))).toBe(`no such organization: ${organization.id}`)
  })

  it('leaves no job of it, waiting, running or failed, and none of its queues, and all of others', async () => {
    const [organization, other] = await Promise.all([anOrganization(api), anOrganization(api)])
    for (const { client } of [organization, other]) {
      for (const type of ['deals', 'contacts', 'companies'])
        expect((await client.post('/exports', { type })).status).toBe(202)
    }
    const jobs = async ({ id }: TestOrganization) => {
      const [row] = await api.test.database.search(countJobs, [id])
      return [row?.jobs, row?.queues]
    }
    expect([await jobs(organization), await jobs(other)]).toEqual([
      [3, 1],
      [3, 1],
    ])
    await api.test.database.script(`
      update graphile_worker._private_jobs j set locked_at = now(), locked_by = 'w'
       where j.id = (select min(x.id) from graphile_worker._private_jobs x where x.payload ->> 'organizationId' = '${organization.id}');
      update graphile_worker._private_jobs j set attempts = j.max_attempts
       where j.id = (select max(x.id) from graphile_worker._private_jobs x where x.payload ->> 'organizationId' = '${organization.id}');
      update graphile_worker._private_job_queues q set locked_at = now(), locked_by = 'w' where q.queue_name like '%${organization.id}'`)
    await commands.json(...remove(organization))
    expect([await jobs(organization), await jobs(other)]).toEqual([
      [0, 0],
      [3, 1],
    ])
  })

  it('says how many rows that were', async () => {
    const organization = await anOrganization(api)
    const count = sum(await rows(organization))
    const { out } = await commands.run(remove(organization))
    expect(out).toBe(`Removed organization ${organization.id} "Test": ${count} rows.\n`)
  })

  it('refuses its tokens first, takes a portion at a time, and goes on where it was interrupted', async () => {
    const organization = await anOrganization(api)
    const { id, client } = organization
    expect((await client.get('/contacts')).status).toBe(200)
    await api.test.database.script(
      `insert into merged_records (organization_id, id, kind, into_id, merged_at)
       select '${id}', lpad(n::text, 32, '0')::uuid, 'contact', gen_random_uuid(), now() from generate_series(1, 5000) n`,
    )
    const held = await hold(
      api.test.database,
      `select 1 from merged_records where organization_id = '${id}' and id = lpad('4500', 32, '0')::uuid for update`,
    )
    const removing = commands.run(remove(organization))
    await until('the third portion to wait', async () => (await rows(organization)).merged_records === 1000)
    await until('the token to be refused', async () => (await client.get('/contacts')).status === 401)
    const file = join(folder, 'half.zip')
    expect(await commands.reasonOf('organization', 'export', id, file)).toBe(`the organization ${id} is being removed`)
    // The transaction that holds a row keeps it longer than a statement waits.
    const { status, err } = await removing
    expect([status, err]).toEqual([1, 'canceling statement due to lock timeout\n'])
    await held.release()
    const left = sum(await rows(organization))
    expect(left).toBeGreaterThan(1000)
    expect(await commands.json(...remove(organization))).toMatchObject({ rows: { merged_records: 1000 }, total: left })
    expect(sum(await rows(organization))).toBe(0)
  })

  it('refuses requests that were under way', async () => {
    const organization = await anOrganization(api)
    const { id, client } = organization
    const contact = (await client.post('/contacts', aContact())).data
    const contacts = await hold(api.test.database, `select 1 from contacts where id = '${contact.id}' for update`)
    const audit = await hold(
      api.test.database,
      `select 1 from audit_entries where organization_id = '${id}' for update`,
    )
    const changing = client.patch(`/contacts/${contact.id}`, { expectedVersion: 1, jobTitle: 'Head' })
    await until('the change to wait', async () => (await waiting()) === 1)
    const removing = commands.json(...remove(organization))
    await until('the removal to wait for its first rows', async () => (await waiting()) === 2)
    await contacts.release()
    expect((await changing).status).toBe(503)
    await audit.release()
    await removing
    expect(sum(await rows(organization))).toBe(0)
  })
})

const countJobs = statement(
  'test_removal_jobs',
  `select (select count(*)::integer from graphile_worker._private_jobs j where j.payload ->> 'organizationId' = $1) as jobs,
          (select count(*)::integer from graphile_worker._private_job_queues q where q.queue_name like '%' || $1) as queues`,
)

const selectWaiting = statement(
  'test_removal_waiting',
  `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
)

async function waiting(): Promise<number> {
  return Number((await api.test.database.search(selectWaiting, []))[0]?.waiting)
}

describe('an organization that comes back with an older file', () => {
  it('is known as it was then, also by servers that remember later versions', async () => {
    const organization = await anOrganization(api)
    const { id } = organization
    const file = join(folder, 'older.zip')
    await commands.json('organization', 'export', id, file)
    const field = ['custom-field', 'create', '--organization', id, '--kind', 'contact', '--type', 'text', '--key']
    await commands.json(...field, 'later')
    await commands.json('tag', 'create', '--organization', id, '--name', 'Later')
    const { version } = await commands.json('organization', 'show', id)
    const withField = (key: string) => aContact({ customFields: { [key]: 'x' } })
    expect((await organization.client.post('/contacts', withField('later'))).status).toBe(201)
    await commands.json(...remove(organization))
    // A refused token is no sign of it: one that a server does not remember is refused at once.
    await until(
      'the server to forget it',
      () => api.services.configurations.known({ organizationId: id }) === undefined,
    )
    expect((await organization.client.get('/contacts')).status).toBe(401)
    await commands.json('organization', 'import', file)
    await commands.json(...field, 'other')
    const granted = ['--application', organization.applicationId, '--name', 'New', '--scopes', 'all']
    const client = new Client(api.url, String((await commands.json('token', 'create', ...granted)).token))
    // What servers remember has the version that there is again.
    expect(await commands.json('organization', 'show', id)).toMatchObject({ version })
    const refused = await client.post('/contacts', withField('later'))
    expect([refused.status, objectOf(refused.error).code]).toEqual([422, 'validation_error'])
    expect((await client.post('/contacts', withField('other'))).status).toBe(201)
  })
})
