import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { download } from '../../../test/conformance/support/files.ts'
import { sha256 } from '../../../test/conformance/support/uploads.ts'
import { startApi, type TestApi } from '../../../test/support/api.ts'
import { contentIn, type Entries, entriesOf, manifestOf, rowsIn } from '../../../test/support/archive.ts'
import { aContact } from '../../../test/support/builders.ts'
import { Client } from '../../../test/support/client.ts'
import { type Commands, commandsOn, removeFolder } from '../../../test/support/commands.ts'
import { aFullOrganization, anImportUnderWay, awkwardText } from '../../../test/support/full-organization.ts'
import { hold, isWaitedFor } from '../../../test/support/hold.ts'
import { laterRows, laterTable } from '../../../test/support/later-table.ts'
import { noEntrypoints } from '../../../test/support/no-entrypoints.ts'
import type { TestOrganization } from '../../../test/support/organization.ts'
import { tablesOfTenants } from '../../../test/support/tenant-rows.ts'
import { until } from '../../../test/support/waiting.ts'
import { isObject, type JsonObject } from '../kernel/schema/index.ts'
import { leftOut } from './left-out.ts'

let from: TestApi
let to: TestApi
let fromCommands: Commands
let toCommands: Commands
let folder: string
let file: string
let organization: TestOrganization
let entries: Entries
/** What a consumer of the feed had before, and how many events followed. */
let position: JsonObject
let following: JsonObject[]
/** The key of a record that was removed. */
let goneKey: string

beforeAll(async () => {
  from = await startApi()
  to = await startApi()
  fromCommands = await commandsOn(from.test, noEntrypoints, from)
  toCommands = await commandsOn(to.test, noEntrypoints, to)
  folder = await mkdtemp(join(tmpdir(), 'crm-tenants-'))
  file = join(folder, 'organization.zip')
  for (const { test } of [from, to]) await test.database.script(laterTable)
  organization = await aFullOrganization(from)
  await from.test.database.script(laterRows(organization.id))
  await aFullOrganization(from)
  const gone = (await organization.client.post('/contacts', aContact())).data
  goneKey = String(gone.externalId)
  await organization.client.delete(`/contacts/${gone.id}?expectedVersion=1`)
  // An erasure empties dry runs.
  await anImportUnderWay(from, organization.id)
  position = (await organization.client.get('/changes/cursor')).data
  await organization.client.post('/contacts', aContact())
  following = await changesAfter(organization.client)
  const exported = await fromCommands.json('organization', 'export', organization.id, file)
  expect(exported).toMatchObject({ id: organization.id, name: 'Test', file, rows: { contacts: expect.any(Number) } })
  entries = await entriesOf(file)
}, 120_000)

afterAll(async () => {
  for (const api of [from, to]) await api?.close()
  for (const commands of [fromCommands, toCommands]) await removeFolder(commands)
  await rm(folder, { recursive: true, force: true })
  expect([...from.failures, ...to.failures]).toEqual([])
})

async function changesAfter(client: Client): Promise<JsonObject[]> {
  return [...(await client.get(`/changes?after=${position.cursor}`)).items]
}

const linesOf = (text: string) => text.split('\n').slice(0, -1)
const contentOf = async (path: string) => contentIn(await entriesOf(path))

describe('a file', () => {
  it('has every table of an organization, or the table is left out with a reason', async () => {
    const tables = await tablesOfTenants(from.test.database)
    const rows = rowsIn(entries)
    expect([...Object.keys(rows), ...leftOut.keys()].toSorted()).toEqual(tables)
    for (const [table, reason] of leftOut)
      expect([table, reason]).toEqual([table, expect.stringMatching(/^[A-Z].+\.$/u)])
    // What has no rows here is not compared below: let aFullOrganization make some.
    expect(Object.keys(rows).filter(table => rows[table] === 0)).toEqual([])
  })

  it('has no column that sounds like a secret', () => {
    const { tables } = manifestOf(entries)
    const columns = (Array.isArray(tables) ? tables : []).flatMap(({ name, columns: all }: JsonObject) =>
      Array.isArray(all) ? all.map(column => `${String(name)}.${String(column)}`) : [],
    )
    expect(new Set(columns).size).toBeGreaterThan(200)
    expect(columns.filter(column => /secret|hash|password|credential|private|organization_id/u.test(column))).toEqual(
      [],
    )
  })

  it('has a manifest that describes it, and counts its rows', () => {
    const { tables: _, migrations, ...facts } = manifestOf(entries)
    expect(facts).toEqual({
      format: 'crm-archive',
      formatVersion: 2,
      product: '0.1.0',
      organization: { id: organization.id, name: 'Test' },
      queueRevision: expect.any(Number),
      snapshotAt: expect.stringMatching(/Z$/u),
      epoch: expect.any(Number),
      secretMark: expect.stringMatching(/^[\w-]{43}$/u),
      files: [...entries.keys()].filter(name => name.startsWith(`files/${organization.id}/`)).length,
      hasSecret: false,
    })
    expect(migrations).toContain('0001_kernel.sql')
    for (const [table, rows] of Object.entries(rowsIn(entries)))
      expect([table, linesOf(String(entries.get(`tables/${table}`))).length]).toEqual([table, rows])
    expect(String(entries.get('tables/contacts'))).toContain(awkwardText.split('\n')[0])
  })

  it('is verified without a database', async () => {
    const nowhere = { ...fromCommands.environment, DATABASE_URL: 'postgres://nobody@localhost:1/none' }
    const { status, out } = await fromCommands.run(['backup', 'verify', file], nowhere)
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(
        / is whole: \d+ rows of \d+ tables and \d+ files of the organization \S+ "Test" of product /u,
      ),
    ])
  })

  it('is for its owner alone, and nothing lies beside it', async () => {
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600')
    expect(await readdir(folder)).toEqual(['organization.zip'])
  })

  it('replaces another one, and no other thing', async () => {
    const again = join(folder, 'again.zip')
    await writeFile(again, 'old')
    await fromCommands.json('organization', 'export', organization.id, again)
    expect(await contentOf(again)).toEqual(contentIn(entries))
    await writeFile(again, 'kept')
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect(await fromCommands.reasonOf('organization', 'export', unknown, again)).toBe(
      `no such organization: ${unknown}`,
    )
    expect(await fromCommands.reasonOf('organization', 'export', 'x', again)).toBe('no such organization: x')
    expect(await readFile(again, 'utf8')).toBe('kept')
    expect(await fromCommands.reasonOf('organization', 'export', organization.id, folder)).toBe(
      `${folder} is not a file`,
    )
    await rm(again)
    expect(await readdir(folder)).toEqual(['organization.zip'])
  })

  it('is a snapshot of the organization at one moment', async () => {
    const during = join(folder, 'during.zip')
    const held = await hold(from.test.database, 'lock table external_keys in access exclusive mode')
    const exporting = fromCommands.json('organization', 'export', organization.id, during)
    await until('the export to wait', () => isWaitedFor(from.test.database, 'external_keys'))
    // Tables before and behind the one that is waited for.
    await from.test.database.script(
      `insert into tags (organization_id, id, name, kinds, created_at)
         values ('${organization.id}', gen_random_uuid(), 'Late', '{contact}', now());
       insert into change_keys (organization_id, application_id, resource_id, key, removed_at)
         values ('${organization.id}', gen_random_uuid(), gen_random_uuid(), 'late', now())`,
    )
    await held.release()
    await exporting
    await from.test.database.script(`delete from tags where name = 'Late'; delete from change_keys where key = 'late'`)
    expect(await contentOf(during)).toEqual(contentIn(entries))
    await rm(during)
  })
})

describe('an organization that is brought in', () => {
  let client: Client
  let contentAgain: Record<string, string>

  beforeAll(async () => {
    const imported = await toCommands.json('organization', 'import', file)
    const rows = rowsIn(entries)
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    expect(imported).toEqual({ id: organization.id, name: 'Test', rows, total, hasSameSecret: true })
    const again = join(folder, 'again.zip')
    await toCommands.json('organization', 'export', organization.id, again)
    contentAgain = await contentOf(again)
    const granted = ['--application', organization.applicationId, '--name', 'New', '--scopes', 'all']
    client = new Client(to.url, String((await toCommands.json('token', 'create', ...granted)).token))
  })

  it('is the same, row by row and file by file', () => {
    expect(contentAgain).toEqual(contentIn(entries))
  })

  it('has its files, each with its bytes', async () => {
    const deals = (await client.get('/deals?limit=100')).items.filter(({ filesCount }) => filesCount !== 0)
    expect(deals.length).toBeGreaterThan(0)
    for (const { id } of deals) {
      for (const { url, sha256: hash } of (await client.get(`/deals/${id}/files`)).items) {
        const { status, bytes } = await download(url)
        expect([status, sha256(bytes)]).toEqual([200, hash])
      }
    }
  })

  it('has its webhooks, which are paused until they get secrets', async () => {
    const { webhooks } = await toCommands.json('webhook', 'list', '--organization', organization.id)
    const paused = { enabled: false, secretUpdatedAt: null, headerNames: [], headersUpdatedAt: null }
    expect(webhooks).toMatchObject([{ body: 'full', kinds: ['*'], tokenId: null, ...paused }])
    const { id } = Array.isArray(webhooks) ? webhooks[0] : {}
    const reason = 'the webhook has no secret: rotate it first'
    for (const word of ['resume', 'test']) expect(await toCommands.reasonOf('webhook', word, id)).toBe(reason)
    await toCommands.json('webhook', 'rotate', id)
    await toCommands.json('webhook', 'resume', id)
  })

  it('goes on with the numbers of its feed, and cursors from before are good', async () => {
    expect(following.length).toBeGreaterThan(0)
    expect(await changesAfter(client)).toEqual(following)
    await client.post('/contacts', aContact())
    const events = await changesAfter(client)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => Number(position.seq) + 1 + index))
    expect(events.length).toBe(following.length + 1)
  })

  it('knows the versions from before', async () => {
    const { items } = await organization.client.get('/contacts?limit=1')
    const { id, version } = items[0] ?? {}
    const stale = await client.patch(`/contacts/${id}`, { expectedVersion: Number(version) + 1, jobTitle: 'x' })
    expect([stale.status, stale.error.code]).toEqual([409, 'version_conflict'])
    const patched = await client.patch(`/contacts/${id}`, { expectedVersion: version, jobTitle: 'Head' })
    expect([patched.status, patched.data.version]).toEqual([200, Number(version) + 1])
  })

  it('knows keys, also those of removed records', async () => {
    const { items } = await organization.client.get('/contacts')
    const known = items.find(({ externalId }) => typeof externalId === 'string')
    const found = await client.get(`/contacts?externalId=${known?.externalId}`)
    expect(found.items.map(({ id }) => id)).toEqual([known?.id])
    expect((await client.get(`/contacts?externalId=${goneKey}`)).status).toBe(410)
  })

  it('answers a repeated request as it was answered before', async () => {
    const key = 'a-key-from-before'
    const contact = aContact()
    const first = await client.post('/contacts', contact, { key })
    expect(first.status).toBe(201)
    const moved = join(folder, 'moved.zip')
    await toCommands.json('organization', 'export', organization.id, moved)
    const third = await startApi()
    const commands = await commandsOn(third.test, noEntrypoints, third)
    await third.test.database.script(laterTable)
    await commands.json('organization', 'import', moved)
    const granted = ['--application', organization.applicationId, '--name', 'New', '--scopes', 'all']
    const { token } = await commands.json('token', 'create', ...granted)
    const again = await new Client(third.url, String(token)).post('/contacts', contact, { key })
    expect([again.status, again.data.id]).toEqual([201, first.data.id])
    await removeFolder(commands)
    await third.close()
  })

  it('is not brought in again', async () => {
    const reason = await toCommands.reasonOf('organization', 'import', file)
    expect(reason).toMatch(
      new RegExp(`^the organization ${organization.id} is here already: \\w+ has rows of it$`, 'u'),
    )
  })
})

describe('an installation with another secret', () => {
  it('warns that it does not know cursors and removed keys', async () => {
    const other = await startApi()
    await other.test.database.script(laterTable)
    const commands = await commandsOn(other.test, noEntrypoints, {
      secret: 'quite another secret',
      dataDirectory: other.dataDirectory,
    })
    const { out } = await commands.run(['organization', 'import', file])
    expect(out).toMatch(/^Imported organization \S+ "Test": \d+ rows\. Its applications have no tokens yet/u)
    expect(out).toContain('another secret: cursors from there are refused here')
    expect(isObject(await commands.json('organization', 'show', organization.id))).toBe(true)
    await removeFolder(commands)
    await other.close()
  })
})
