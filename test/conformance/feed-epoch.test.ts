import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { writeCursor } from '../../server/src/kernel/index.ts'
import { Database, selectEpoch, type WhenOther } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { type Commands, commandsOn, removeFolder } from '../support/commands.ts'
import { createTestDatabase, testSecret } from '../support/database.ts'
import { noEntrypoints } from '../support/no-entrypoints.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { aRecord } from './support/requests.ts'

describe('the epoch of the change feeds', () => {
  let api: TestApi
  let commands: Commands
  let organization: TestOrganization
  beforeAll(async () => {
    api = await startApi()
    commands = await commandsOn(api.test, noEntrypoints, api)
    organization = await anOrganization(api)
  })
  afterAll(async () => {
    await removeFolder(commands)
    await api.close()
  })

  const position = async () => String((await organization.client.get('/changes/cursor')).data.cursor)
  const changesAfter = (cursor: string) => organization.client.get(`/changes?after=${cursor}`)

  it('is 1 at first, also for cursors of releases without epochs', async () => {
    const filters = {}
    const scope = { entry: 'api', organizationId: organization.id, route: '/api/v1/crm/changes', filters } as const
    const former = writeCursor(api.test.secret, scope, { seq: 0 })
    await aRecord('contact', organization)
    expect((await changesAfter(former)).items.map(({ seq }) => seq)).toEqual([1])
  })

  it('ends the positions of one organization alone when a command raises it for that one', async () => {
    const other = await anOrganization(api)
    const theirs = String((await other.client.get('/changes/cursor')).data.cursor)
    const ours = await position()
    const of = ['feed', 'new-epoch', '--organization', organization.id]
    const { epoch } = await commands.json(...of, '--confirm', 'Test')
    expect((await changesAfter(ours)).error.code).toBe('cursor_expired')
    expect((await other.client.get(`/changes?after=${theirs}`)).status).toBe(200)
    expect((await changesAfter(await position())).status).toBe(200)
    // A new epoch of all is a later one.
    expect(Number((await commands.json('feed', 'new-epoch', '--confirm', 'all')).epoch)).toBeGreaterThan(Number(epoch))
    expect((await other.client.get(`/changes?after=${theirs}`)).error.code).toBe('cursor_expired')
  })

  it('is not raised by a command that names neither an organization nor all', async () => {
    const of = ['feed', 'new-epoch', '--confirm']
    const words = 'consumers would read everything anew: confirm that by --confirm'
    expect(await commands.reasonOf(...of, 'yes')).toBe(`${words} "all"`)
    expect(await commands.reasonOf(...of, 'all', '--organization', organization.id)).toBe(`${words} "Test"`)
  })

  it('ends every position when a command raises it, wherever the feed is then; other cursors go on', async () => {
    const behind = await position()
    await aRecord('contact', organization)
    const atHead = String((await changesAfter(behind)).meta.nextCursor)
    const lists = ['/contacts?limit=1', '/audit?limit=1', '/search?q=petrova&limit=1']
    const pages = await Promise.all(
      lists.map(async path => `${path}&cursor=${String((await organization.client.get(path)).meta.nextCursor)}`),
    )
    const before = Date.now()
    const { epoch } = await commands.json('feed', 'new-epoch', '--confirm', 'all')
    expect(Number(epoch)).toBeGreaterThanOrEqual(before)
    for (const grown of [false, true]) {
      if (grown) await aRecord('contact', organization)
      for (const cursor of [behind, atHead]) {
        const { status, error, details } = await changesAfter(cursor)
        expect([grown, status, error.code]).toEqual([grown, 410, 'cursor_expired'])
        expect(details).toMatchObject({ oldestSeq: 1, resync: expect.stringContaining('/changes/cursor') })
      }
    }
    for (const page of pages) expect((await organization.client.get(page)).items).toHaveLength(1)
    const anew = await position()
    await aRecord('contact', organization)
    const read = await changesAfter(anew)
    expect(read.items.map(({ seq }) => seq)).toEqual([4])
    expect((await changesAfter(String(read.meta.nextCursor))).status).toBe(200)
  })

  it('is raised once more each time, also twice in a millisecond', async () => {
    const raise = () => commands.json('feed', 'new-epoch', '--confirm', 'all')
    const [first, second] = [await raise(), await raise()]
    expect(Number(second.epoch)).toBeGreaterThan(Number(first.epoch))
    expect((await commands.json('feed', 'keep-epoch')).epoch).toBe(second.epoch)
  })
})

describe('a copy of a database', () => {
  const server = inject('postgres')
  const administrator = new Database({ location: { ...server, user: 'postgres' }, connections: 1 })
  const copies: string[] = []
  afterAll(async () => {
    for (const name of copies) await administrator.script(`drop database ${name} with (force)`)
    await administrator.close()
  })

  /** A database that was served, as a restored dump or a copied cluster has it. */
  async function aCopy(): Promise<string> {
    const original = await createTestDatabase(1)
    if ('url' in original.location) throw new Error('the database of the tests is reached through a socket')
    expect(await epochOf(original.database)).toBe(1)
    await original.database.close()
    const name = `test_${randomUUID().replaceAll('-', '')}`
    copies.push(name, original.location.database)
    await administrator.script(`create database ${name} template ${original.location.database}`)
    return name
  }

  const connect = (database: string, whenOther?: WhenOther) =>
    new Database({ location: { ...server, database }, connections: 8, ...(whenOther && { whenOther }) })
  const epochOf = async (database: Database) => Number((await database.query(selectEpoch, []))[0]?.epoch)

  it('has another epoch from its first statement on, raised once by however many connections', async () => {
    const name = await aCopy()
    const nodes = [connect(name), connect(name), connect(name)]
    const seen = await Promise.all(nodes.flatMap(node => Array.from({ length: 8 }, () => epochOf(node))))
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]).toBeGreaterThan(1)
    await Promise.all(nodes.map(node => node.close()))
    const later = connect(name)
    expect(await epochOf(later)).toBe(seen[0])
    await later.close()
  })

  it('keeps its epoch where a command says so, and is the known one from then on', async () => {
    const name = await aCopy()
    for (const whenOther of ['leave', 'keep', 'raise'] as const) {
      const database = connect(name, whenOther)
      expect([whenOther, await epochOf(database)]).toEqual([whenOther, 1])
      await database.close()
    }
  })

  it('is noticed as far as an ordinary user may see, and doctor reports the rest', async () => {
    const revoke = 'revoke execute on function'
    const name = await aCopy()
    const inside = new Database({
      location: { ...server, user: 'postgres', database: name },
      connections: 1,
      whenOther: 'leave',
    })
    await inside.script(`${revoke} pg_control_system() from public; ${revoke} pg_walfile_name(pg_lsn) from public`)
    await inside.close()
    const database = connect(name)
    expect(await epochOf(database)).toBeGreaterThan(1)
    await database.close()
    const commands = await commandsOn(
      { database, secret: testSecret, location: { ...server, database: name }, drop: async () => {} },
      noEntrypoints,
    )
    const { out } = await commands.run(['doctor'])
    await removeFolder(commands)
    expect(out).toMatch(
      /^ok {5}change feed: epoch \d+; the user may not ask for all that a database is known by: not noticed is a dump that was restored on another server \(pg_control_system\), a promoted standby/mu,
    )
  })
})
