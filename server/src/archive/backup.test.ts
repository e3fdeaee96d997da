import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmptyDatabase } from '../../../test/migrations/empty-database.ts'
import { startApi, type TestApi } from '../../../test/support/api.ts'
import {
  changedManifest,
  changedRows,
  type Entries,
  entriesOf,
  tablesWith,
  writeEntries,
} from '../../../test/support/archive.ts'
import { objectOf } from '../../../test/support/client.ts'
import { type Commands, commandsOn, removeFolder } from '../../../test/support/commands.ts'
import { createTestDatabase, type TestDatabase, testSecret } from '../../../test/support/database.ts'
import { aFullOrganization } from '../../../test/support/full-organization.ts'
import { hold, isWaitedFor } from '../../../test/support/hold.ts'
import { laterRows, laterTable } from '../../../test/support/later-table.ts'
import { noEntrypoints } from '../../../test/support/no-entrypoints.ts'
import { anOrganization } from '../../../test/support/organization.ts'
import { until } from '../../../test/support/waiting.ts'
import { runCli } from '../entrypoints/cli/index.ts'
import { matchSecret, Secret } from '../kernel/index.ts'
import { type Database, knownMigrations, storedTables } from '../kernel/sql/index.ts'
import { noArchive } from './manifest.ts'

type Empty = Pick<TestDatabase, 'database' | 'location' | 'drop'>

let api: TestApi
let here: Commands
let folder: string
let file: string
let entries: Entries
const empties: Empty[] = []

beforeAll(async () => {
  api = await startApi()
  await api.test.database.script(laterTable)
  const { id } = await aFullOrganization(api)
  await anOrganization(api)
  await api.test.database.script(laterRows(id))
  // The server would write what it has counted while the content is compared.
  await api.services.authentication.requests.write()
  here = await commandsOn(api.test, noEntrypoints, api)
  folder = await mkdtemp(join(tmpdir(), 'crm-backup-'))
  file = join(folder, 'whole.zip')
  await here.json('backup', file, '--with-files', '--with-secret')
  entries = await entriesOf(file)
})
afterAll(async () => {
  await api.close()
  for (const empty of empties) await empty.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Commands on a migrated database without a row, which has the table of a later version too. */
async function elsewhere(create: () => Promise<Empty> = createTestDatabase) {
  const empty = await create()
  empties.push(empty)
  await empty.database.script(laterTable)
  return { ...empty, commands: await commandsOn({ ...empty, secret: testSecret }, noEntrypoints) }
}

/** The name of a file in the backup, and in the store. */
const aFileIn = () => [...entries.keys()].find(name => name.startsWith('files/')) ?? ''

const manifest = () => objectOf(JSON.parse(String(entries.get('manifest.json'))))

/** The rows of each table as one text, in no order of their own. */
async function contentOf(database: Database): Promise<Record<string, string>> {
  const content: Record<string, string> = {}
  for (const { name, relation } of await storedTables(database)) {
    const text = `select count(*) || ' ' || coalesce(md5(string_agg(r::text, chr(10) order by r::text)), '') as rows from ${relation} r`
    content[name] = String((await database.search({ name: '', text }, []))[0]?.rows)
  }
  return content
}

describe('a backup', () => {
  it('holds every row of every table, also those of later versions and jobs, and the restored database is the same', async () => {
    const { commands, database } = await elsewhere(createEmptyDatabase)
    const before = await contentOf(api.test.database)
    const empty = Object.entries(before)
      .filter(([, rows]) => rows === '0 ')
      .map(([name]) => name)
    // Nothing makes rows of these here: crons, queues and workers are of a running server.
    expect(empty).toEqual(expect.arrayContaining(['jobs/_private_known_crontabs', 'job_workers']))
    expect(empty.length).toBeLessThan(12)
    const restored = await commands.json('restore', file)
    const { installation: _, ...expected } = before
    const { installation: __, ...found } = await contentOf(database)
    expect(found).toEqual(expected)
    const counted = Object.fromEntries(Object.entries(before).map(([name, rows]) => [name, Number(rows.split(' ')[0])]))
    expect(restored.rows).toEqual(counted)
    expect(restored.hasSameSecret).toBe(true)
    expect(Number(restored.epoch)).toBeGreaterThan(1)
    const files = join(String(commands.environment.CRM_DATA_DIR), 'files')
    expect((await readdir(files, { recursive: true, withFileTypes: true })).filter(each => each.isFile())).toHaveLength(
      Number(restored.files),
    )
    await removeFolder(commands)
  })

  it('numbers jobs on behind those that it brings', async () => {
    const { commands, database } = await elsewhere()
    const highest = async (asked: Database) => {
      const text = 'select max(j.id)::integer as id from graphile_worker._private_jobs j'
      return Number((await asked.search({ name: '', text }, []))[0]?.id)
    }
    await api.test.database.script(`select graphile_worker.add_job('test_backed_up')`)
    const later = join(folder, 'jobs.zip')
    await here.json('backup', later)
    await commands.json('restore', later)
    await database.script(`select graphile_worker.add_job('test_after')`)
    expect(await highest(database)).toBe((await highest(api.test.database)) + 1)
    await removeFolder(commands)
  })

  it('is for its owner alone, replaces nothing, and leaves nothing where it fails', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const bytes = await readFile(file)
    expect(await here.reasonOf('backup', file)).toBe(`${file} is there already`)
    expect(await readFile(file)).toEqual(bytes)
    const before = await readdir(folder)
    const stored = join(api.dataDirectory, aFileIn())
    const content = await readFile(stored)
    const failing = () => here.reasonOf('backup', join(folder, 'lost.zip'), '--with-files')
    await rm(stored)
    expect(await failing()).toMatch(/^the file \S+ is missing: see doctor --files$/u)
    await writeFile(stored, 'other bytes')
    expect(await failing()).toMatch(/^the file \S+ is not as it was recorded: see doctor --files$/u)
    await writeFile(stored, content)
    expect(await readdir(folder)).toEqual(before)
  })

  it('goes on when a file is removed meanwhile, and reports it', async () => {
    const { id } = await anOrganization(api)
    const { files } = api.services
    const chunks = (async function* () {
      yield Buffer.from('rows')
    })()
    const kept = await files.keep({
      organizationId: id,
      purpose: 'export',
      name: 'a.csv',
      mediaType: 'text/csv',
      source: { chunks },
    })
    await api.test.database.script(
      `insert into files (organization_id, id, purpose, name, media_type, size_bytes, sha256, created_at)
       values ('${id}', '${kept.id}', 'export', 'a.csv', 'text/csv', ${kept.size}, '${kept.sha256}', now())`,
    )
    const held = await hold(api.test.database, 'lock table later_0 in access exclusive mode')
    const writing = here.json('backup', join(folder, 'meanwhile.zip'), '--with-files')
    await until('the backup to wait', () => isWaitedFor(api.test.database, 'later_0'))
    await api.test.database.script(`delete from files where id = '${kept.id}'`)
    await files.discard([kept])
    await held.release()
    expect(await writing).toMatchObject({ files: Number(manifest().files), removedFiles: 1 })
  })

  it('has neither files nor the secret by default, and a restore says what follows from that', async () => {
    const plain = join(folder, 'plain.zip')
    const { status, out } = await here.run(['backup', plain])
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/ Files are not in it\. The secret is not in it: keep it beside\.\n$/u),
    ])
    expect([...(await entriesOf(plain)).keys()].filter(name => !name.startsWith('tables/'))).toEqual(['manifest.json'])
    expect(String(entries.get('secret'))).toBe(here.environment.CRM_SECRET)
    const { commands } = await elsewhere()
    const other = { ...commands.environment, CRM_SECRET: 'another secret, long enough' }
    expect((await commands.run(['restore', file], other)).err).toBe(
      'CRM_SECRET is not the secret of the backup: take it away if nothing was made with it\n',
    )
    expect((await commands.run(['restore', plain], other)).err).toMatch(
      /^the secret here is not that of the backup: set CRM_SECRET to it, or restore with --other-secret; /u,
    )
    const restored = await commands.run(['restore', plain, '--other-secret'], other)
    expect([restored.status, restored.err]).toEqual([0, ''])
    expect(restored.out).toMatch(/The backup has no files: [^\n]+\nThe secret is not that of the backup: /u)
    expect(await matchSecret(commands.test.database, new Secret(other.CRM_SECRET))).toBe('same')
    await removeFolder(commands)
  })

  it('is written to standard output, and its description to standard error', async () => {
    const chunks: Uint8Array[] = []
    let err = ''
    const streams = {
      out: () => {
        throw new Error('standard output is the backup')
      },
      err: (text: string) => {
        err += text
      },
      outBytes: async (bytes: Uint8Array) => void chunks.push(bytes),
    }
    expect(await runCli(['backup', '-', '--with-files'], here.environment, noEntrypoints, streams)).toBe(0)
    expect(err).toMatch(/^Wrote a backup: \d+ rows of \d+ tables, /u)
    const piped = join(folder, 'piped.zip')
    await writeFile(piped, Buffer.concat(chunks))
    expect(await here.json('backup', 'verify', piped)).toMatchObject({ hasSecret: false, files: expect.any(Number) })
  })

  it('is verified without a database, which finds a damaged one', async () => {
    const nowhere = { ...here.environment, DATABASE_URL: 'postgres://nobody@localhost:1/none' }
    const { status, out } = await here.run(['backup', 'verify', file], nowhere)
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/ is whole: \d+ rows of \d+ tables and \d+ files of product /u),
    ])
    expect(await here.json('backup', 'verify', file)).toMatchObject({ file, hasSecret: true, rows: expect.any(Number) })
    const bytes = await readFile(file)
    const damaged = join(folder, 'damaged.zip')
    await writeFile(damaged, bytes.subarray(0, bytes.length - 1000))
    expect(await here.reasonOf('backup', 'verify', damaged)).toMatch(/cut off|damaged|not whole/u)
  })

  it('is restored into an empty database alone, of no later schema', async () => {
    const { commands } = await elsewhere()
    await commands.json('organization', 'create', '--name', 'Here')
    expect(await commands.reasonOf('restore', file)).toMatch(
      /^the database is not empty, \w+ has rows: a backup is restored into an empty one$/u,
    )
    await removeFolder(commands)
    const migrated = await elsewhere()
    const last = (await knownMigrations()).at(-1)
    const earlier = changedManifest(entries, manifest => ({
      ...manifest,
      migrations: (Array.isArray(manifest.migrations) ? manifest.migrations : []).slice(0, -1),
    }))
    const path = join(folder, 'earlier.zip')
    await writeEntries(path, earlier)
    expect(await migrated.commands.reasonOf('restore', path)).toBe(
      `the database has ${last}, which is later than the archive: restore into one without tables`,
    )
    expect(await migrated.commands.json('restore', file)).toMatchObject({ hasSameSecret: true })
    await removeFolder(migrated.commands)
  })
})

describe('a damaged backup', () => {
  /** One database for all of them: a restore that fails leaves it without a row, so that the next one can be tried on it. */
  let target: Awaited<ReturnType<typeof elsewhere>>
  beforeAll(async () => {
    target = await elsewhere()
  })
  afterAll(() => removeFolder(target.commands))

  const without = (name: string) => new Map([...entries].filter(([each]) => each !== name))
  const facts = (members: Readonly<Record<string, unknown>>) =>
    changedManifest(entries, manifest => ({ ...manifest, ...members }))
  const table = (name: string, members: Readonly<Record<string, unknown>>) =>
    changedManifest(entries, manifest => ({ ...manifest, tables: tablesWith(manifest, name, members) }))
  /** The content of each file, and what is said of it. */
  const wrong: Readonly<Record<string, () => readonly [Entries | Buffer, string | RegExp]>> = {
    'nothing in it': () => [Buffer.alloc(0), noArchive],
    'something else': () => [Buffer.from('%PDF-1.7'.repeat(100)), noArchive],
    'no manifest': () => [without('manifest.json'), 'the archive has no manifest.json: it is not whole'],
    'a manifest that is no JSON': () => [
      new Map([...entries, ['manifest.json', Buffer.from('{')]]),
      'the manifest is not JSON: the file is damaged',
    ],
    'a manifest of something else': () => [facts({ format: 'x' }), noArchive],
    'a later format': () => [facts({ formatVersion: 3 }), 'the archive has the format 3, and not 2'],
    'half a manifest': () => [facts({ epoch: -1 }), 'the manifest is not whole'],
    'a later version': () => [
      facts({ product: '9.0.0', migrations: ['0001_kernel.sql', '9999_later.sql'] }),
      'the archive is of product 9.0.0, which has 9999_later.sql: restore it with that version',
    ],
    'another job queue': () => [facts({ queueRevision: 18 }), /which has revision 18 of the job queue, and not 19/u],
    'a missing table': () => [without('tables/tags'), 'the archive has no tables/tags: it is not whole'],
    'a table of which nothing is told': () => [
      facts({ tables: tablesWith({ tables: [] }, '', {}) }),
      /^the archive has tables\/\w+, which its manifest does not name$/u,
    ],
    'other rows': () => [
      new Map([...entries, ['tables/tags', Buffer.from('x\n')]]),
      'the rows of tags are not those of the manifest: the file is damaged',
    ],
    'another number of rows': () => [table('tags', { rows: 1000 }), /^the rows of tags are not those/u],
    'a missing file': () => [without(aFileIn()), /^the archive has \d+ of \d+ files: it is not whole$/u],
    'other bytes of a file': () => [
      new Map([...entries, [aFileIn(), Buffer.from('x')]]),
      /^the bytes of the file \S+ are not those of its row: the file is damaged$/u,
    ],
    'a file of which no row tells': () => [
      new Map([...without(aFileIn()), ['files/x', Buffer.from('x')]]),
      /^\d+ of \d+ files of the archive have a row: it is damaged$/u,
    ],
    'a table that is not known': () => [
      table('later', { name: 'pg_authid' }),
      'the archive has no tables/pg_authid: it is not whole',
    ],
    'a column that is not known': () => [table('tags', { columns: ['x'] }), 'the table tags has no column x'],
    'a value of another kind': () => [
      changedRows(entries, 'tags', rows => rows.replace(/^[0-9a-f-]{36}/u, 'no uuid')),
      'row 1 of tags: invalid input syntax for type uuid: "no uuid"',
    ],
    'a row twice': () => [
      changedRows(entries, 'changes', rows => `${rows}${rows.slice(0, rows.indexOf('\n') + 1)}`),
      /^row \d+ of changes: duplicate key value violates unique constraint "changes_pkey"$/u,
    ],
    'a reference to nothing': () => [
      changedRows(entries, 'organizations', () => ''),
      /violates foreign key constraint/u,
    ],
  }

  it.each(Object.keys(wrong))('%s: is refused with the reason', async name => {
    const [content, said] = wrong[name]?.() ?? [Buffer.alloc(0), '']
    const path = join(folder, 'wrong.zip')
    await (Buffer.isBuffer(content) ? writeFile(path, content) : writeEntries(path, content))
    const { commands, database } = target
    const reason = await commands.reasonOf('restore', path)
    if (typeof said === 'string') expect(reason).toBe(said)
    else expect(reason).toMatch(said)
    for (const [table, rows] of Object.entries(await contentOf(database)))
      if (table !== 'installation') expect([table, rows]).toEqual([table, '0 '])
    await rm(path)
  })

  it('is refused when it was cut off anywhere, or when one bit differs', async () => {
    const bytes = await readFile(file)
    const path = join(folder, 'cut.zip')
    const { commands } = target
    for (const part of [0.1, 0.5, 0.9, 0.9999]) {
      await writeFile(path, bytes.subarray(0, Math.floor(bytes.length * part)))
      expect(await commands.reasonOf('restore', path)).toMatch(/cut off|damaged|not whole/u)
    }
    const { begin, end } = largestContent(bytes)
    for (const part of [0.05, 0.3, 0.6, 0.8]) {
      const changed = Buffer.from(bytes)
      const at = begin + Math.floor((end - begin) * part)
      changed.writeUInt8((changed[at] ?? 0) ^ 1, at)
      await writeFile(path, changed)
      expect(await commands.reasonOf('restore', path)).toMatch(/damaged|not whole|no file that/u)
    }
  })
})

/** Where the content of the largest entry lies. A bit of a header may be another one and change nothing. */
function largestContent(bytes: Buffer): { begin: number; end: number } {
  const headers: number[] = []
  const header = Buffer.from('PK\u0003\u0004')
  for (let at = bytes.indexOf(header); at >= 0; at = bytes.indexOf(header, at + 1)) headers.push(at)
  const contents = headers.map((at, index) => {
    const begin = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
    // A descriptor of 24 bytes stands behind the content.
    return { begin, end: (headers[index + 1] ?? begin) - 24 }
  })
  return contents.reduce((one, other) => (other.end - other.begin > one.end - one.begin ? other : one))
}
