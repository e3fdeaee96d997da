import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmptyDatabase, type EmptyDatabase } from '../../../test/migrations/empty-database.ts'
import { type Commands, commandsOn, removeFolder } from '../../../test/support/commands.ts'
import { createTestDatabase, type TestDatabase, testSecret } from '../../../test/support/database.ts'
import { noEntrypoints } from '../../../test/support/no-entrypoints.ts'
import { findAnyRow, storedTables } from '../kernel/sql/index.ts'

/** The organization of both files, which `test/support/archives-of-0.1.0/README.md` tells of. */
const id = '01a20e16-1411-7d28-ba9e-ab01659da10f'
const name = 'Old "World"'

let folder: string
let backup: string
let file: string
let text: string
let current: TestDatabase
let here: Commands
const empties: EmptyDatabase[] = []
const folders: Commands[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-former-'))
  const unpacked = async (fixture: string) => {
    const path = join(folder, fixture.replace('.gz', ''))
    const packed = new URL(`../../../test/support/archives-of-0.1.0/${fixture}`, import.meta.url)
    await writeFile(path, gunzipSync(await readFile(packed)))
    return path
  }
  backup = await unpacked('backup.zip.gz')
  file = await unpacked('organization.jsonl.gz')
  text = await readFile(file, 'utf8')
  current = await createTestDatabase(2)
  here = await commandsOn(current, noEntrypoints)
  folders.push(here)
})
afterAll(async () => {
  for (const empty of empties) await empty.drop()
  for (const commands of folders) await removeFolder(commands)
  await current.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Commands on a database that nothing was done with. */
async function elsewhere() {
  const empty = await createEmptyDatabase()
  empties.push(empty)
  const commands = await commandsOn({ ...empty, secret: testSecret }, noEntrypoints)
  folders.push(commands)
  return commands
}

const contact = {
  first_name: 'Ada\\Back',
  last_name: 'Line\nTab\tÄ«x»',
}

/** Some of what the organization has, and the bytes of its file. */
async function contentOf(commands: Commands) {
  const one = (table: string, columns: string) =>
    commands.one(`select ${columns} from ${table} t where t.organization_id = $1`, id)
  const stored = await one('files', 't.id, t.purpose')
  const path = join(String(commands.environment.CRM_DATA_DIR), 'files', id, String(stored?.purpose), String(stored?.id))
  return {
    contact: await one('contacts', 't.first_name, t.last_name'),
    ...(await one('companies', 't.name as company')),
    events: Number((await one('changes', 'count(*) as events'))?.events),
    keys: Number((await one('external_keys', 'count(*) as keys'))?.keys),
    file: await readFile(path, 'utf8'),
  }
}

const content = { contact, company: 'Engines', events: 4, keys: 2, file: 'Two hundred chairs' }

describe('a backup of release 0.1.0', () => {
  it('is verified, and restored into a database that is then of this version', async () => {
    expect(await here.json('backup', 'verify', backup)).toMatchObject({
      product: '0.1.0',
      organization: null,
      files: 1,
      tables: 61,
    })
    const commands = await elsewhere()
    expect(await commands.json('restore', backup)).toMatchObject({ files: 1, hasSameSecret: true })
    expect(await contentOf(commands)).toEqual(content)
    expect(await commands.json('organization', 'show', id)).toMatchObject({ name, readOnly: false })
  })
})

describe('the file of an organization of release 0.1.0', () => {
  it('is verified, and names its organization', async () => {
    expect(await here.json('backup', 'verify', file)).toMatchObject({
      product: '0.1.0',
      organization: { id, name },
      files: 1,
      rows: 46,
      hasSecret: false,
    })
  })

  it('goes through an empty database into an installation of this version', async () => {
    expect(await here.reasonOf('organization', 'import', file)).toMatch(
      /^the file has the schema 0026_\S+ \(product 0\.1\.0\), this installation \S+: bring both to the same version, or restore the file into an empty database$/u,
    )
    const commands = await elsewhere()
    expect(await commands.json('restore', file)).toMatchObject({ id, name, total: 46, hasSameSecret: true })
    expect(await contentOf(commands)).toEqual(content)
    const moved = join(folder, 'moved.zip')
    await commands.json('organization', 'export', id, moved)
    expect(await here.json('organization', 'import', moved)).toMatchObject({ id, name, hasSameSecret: true })
    expect(await contentOf(here)).toEqual(content)
  })

  describe('that was altered', () => {
    let target: Commands
    beforeAll(async () => {
      target = await elsewhere()
    })

    const lines = () => text.trimEnd().split('\n')
    const replaced = (from: string | RegExp, to: string) => text.replace(from, to)
    const at = (beginning: string) => lines().findIndex(line => line.startsWith(beginning)) + 1
    /** The content of each file, and what is said of it. */
    const wrong: Readonly<Record<string, () => readonly [string | Buffer, string | RegExp]>> = {
      'a later format': () => [
        replaced('"formatVersion":1', '"formatVersion":3'),
        'the file has the format 3, and not 1',
      ],
      'no organization': () => [replaced(`"id":"${id}"`, '"id":"x"'), 'the manifest names no organization'],
      'a missing end': () => [lines().slice(0, -1).join('\n'), 'the file was cut off: its end is missing'],
      'half a line': () => [
        text.slice(0, -9),
        `line ${lines().length} is not JSON: the file is damaged, or was cut off`,
      ],
      'more behind its end': () => [
        `${text}{"table":"tags","row":{}}\n`,
        `line ${lines().length + 1} stands behind the end of the file`,
      ],
      'something else in the middle': () => [
        lines().toSpliced(3, 0, '{}').join('\n'),
        'line 4 is neither a row, nor bytes of a file, nor the end',
      ],
      'a list': () => [lines().toSpliced(3, 0, '[]').join('\n'), 'line 4 is no object'],
      'a missing row': () => [
        lines()
          .toSpliced(at('{"table":"tasks"') - 1, 1)
          .join('\n'),
        'the file has 0 rows of tasks, and its end counts 1',
      ],
      'bytes that are others': () => [
        replaced(/"bytes":"[^"]+"/u, '"bytes":"AAAA"'),
        /^the bytes of the file \S+ are not those of its row: the file is damaged$/u,
      ],
      'missing bytes': () => [
        lines()
          .filter(line => !line.startsWith('{"file"'))
          .join('\n'),
        'the file has the bytes of 0 of 1 files',
      ],
      'bytes that are no text': () => [
        Buffer.concat([Buffer.from(`${lines()[0]}\n`), Buffer.from([0xff, 0x0a])]),
        /^line \d+ or one soon behind it is not UTF-8$/u,
      ],
      'a line without an end': () => [`${lines()[0]}\n{"${'x'.repeat(68_000_000)}`, 'line 2 is longer than 64 MiB'],
      'rows of different forms': () => [
        replaced('{"table":"changes","row":{"seq":2,', '{"table":"changes","row":{"x":1,"seq":2,'),
        /^line \d+: the row has other columns than those of changes before it$/u,
      ],
      'a row of another organization': () => [
        replaced('{"table":"tasks","row":{', `{"table":"tasks","row":{"organization_id":"${id}",`),
        'the table tasks has no column organization_id',
      ],
      'a value of another kind': () => [
        replaced(/("table":"tasks","row":\{"id":")[^"]+/u, '$1x'),
        'invalid input syntax for type uuid: "x"',
      ],
      'an unknown table': () => [
        text.replaceAll('"task_files"', '"pg_authid"').replace('"task_files":', '"pg_authid":'),
        'the table pg_authid is not known here',
      ],
    }

    it.each(Object.keys(wrong))('%s: is refused with the reason, and leaves nothing behind', async key => {
      const [bytes, said] = wrong[key]?.() ?? ['', '']
      const hostile = join(folder, 'hostile.jsonl')
      await writeFile(hostile, bytes)
      const reason = await target.reasonOf('restore', hostile)
      if (typeof said === 'string') expect(reason).toBe(said)
      else expect(reason).toMatch(said)
      const { database } = target.test
      for (const table of await storedTables(database))
        if (table.name !== 'installation')
          expect([table.name, ...(await database.search(findAnyRow(table), []))]).toEqual([
            table.name,
            { found: false },
          ])
    })
  })
})
