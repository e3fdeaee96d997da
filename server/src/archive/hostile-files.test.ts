import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../../test/support/api.ts'
import {
  changedManifest,
  changedRows,
  type Entries,
  entriesOf,
  manifestOf,
  tablesWith,
  writeEntries,
} from '../../../test/support/archive.ts'
import { type Commands, commandsOn, removeFolder } from '../../../test/support/commands.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { aFullOrganization } from '../../../test/support/full-organization.ts'
import { laterRows, laterTable } from '../../../test/support/later-table.ts'
import { noEntrypoints } from '../../../test/support/no-entrypoints.ts'
import { rowsOf } from '../../../test/support/tenant-rows.ts'
import { isObject, type JsonObject } from '../kernel/schema/index.ts'
import { noArchive } from './manifest.ts'

let from: TestApi
let to: TestDatabase
let toCommands: Commands
let folder: string
let organization: string
let entries: Entries

beforeAll(async () => {
  from = await startApi()
  to = await createTestDatabase(2)
  toCommands = await commandsOn(to, noEntrypoints)
  folder = await mkdtemp(join(tmpdir(), 'crm-archive-'))
  for (const { database } of [from.test, to]) await database.script(laterTable)
  organization = (await aFullOrganization(from)).id
  await from.test.database.script(laterRows(organization))
  const fromCommands = await commandsOn(from.test, noEntrypoints, from)
  const file = join(folder, 'organization.zip')
  await fromCommands.json('organization', 'export', organization, file)
  entries = await entriesOf(file)
})

afterAll(async () => {
  await from.close()
  await to.drop()
  await removeFolder(toCommands)
  await rm(folder, { recursive: true, force: true })
})

async function countOf(id: string): Promise<number> {
  return Object.values(await rowsOf(to.database, id)).reduce((sum, count) => sum + count, 0)
}

describe('a damaged file of an organization', () => {
  const foreign = '00000000-0000-4000-8000-000000000000'
  const facts = (members: JsonObject) => changedManifest(entries, manifest => ({ ...manifest, ...members }))
  const columnsOf = (name: string): string[] => {
    const { tables } = manifestOf(entries)
    const table = Array.isArray(tables) ? tables.filter(isObject).find(each => each.name === name) : undefined
    return Array.isArray(table?.columns) ? table.columns.map(String) : []
  }
  /** The columns of a table in the manifest, with their values in each row. */
  const reshaped = (name: string, columns: readonly string[], change: (values: string[]) => string[]) =>
    changedManifest(
      changedRows(entries, name, rows => rows.replace(/.+/gu, row => change(row.split('\t')).join('\t'))),
      manifest => ({ ...manifest, tables: tablesWith(manifest, name, { columns }) }),
    )
  /** Another value of a column in the first row of a table. */
  const valued = (name: string, column: string, value: string) =>
    changedRows(entries, name, rows =>
      rows.replace(/.+/u, row => row.split('\t').with(columnsOf(name).indexOf(column), value).join('\t')),
    )
  const twice = (rows: string) => `${rows}${rows.slice(0, rows.indexOf('\n') + 1)}`
  const aFile = () => [...entries.keys()].find(name => name.startsWith('files/')) ?? ''

  /** The content of each file, and what is said of it. */
  const wrong: Readonly<Record<string, () => readonly [Entries | Buffer, string | RegExp]>> = {
    'nothing in it': () => [Buffer.alloc(0), noArchive],
    'something else': () => [Buffer.from('%PDF-1.7'.repeat(100)), noArchive],
    'a later format': () => [facts({ formatVersion: 3 }), 'the archive has the format 3, and not 2'],
    'no organization': () => [facts({ organization: { id: 'x', name: '' } }), 'the manifest names no organization'],
    'a whole installation': () => [
      facts({ organization: null }),
      'this is a backup of a whole installation: see restore',
    ],
    'another schema': () => [
      facts({ migrations: ['0001_kernel.sql'] }),
      /^the file has the schema 0001_kernel\.sql \(product 0\.1\.0\), this installation \S+: bring both to the same version, or restore /u,
    ],
    'other rows than told': () => [
      new Map([...entries, ['tables/tasks', Buffer.from('x\n')]]),
      'the rows of tasks are not those of the manifest: the file is damaged',
    ],
    'other bytes of a file': () => [
      new Map([...entries, [aFile(), Buffer.from('x')]]),
      /^the bytes of the file \S+ are not those of its row: the file is damaged$/u,
    ],
    'a file of another organization': () => [
      new Map(
        [...entries].map(([name, bytes]) => [name === aFile() ? name.replace(organization, foreign) : name, bytes]),
      ),
      /^\d+ of \d+ files of the archive have a row: it is damaged$/u,
    ],
    'a row twice': () => [
      changedRows(entries, 'changes', twice),
      /^row \d+ of changes: duplicate key value violates unique constraint "changes_pkey"$/u,
    ],
    'a table that belongs to no organization': () => [
      changedManifest(new Map([...entries, ['tables/installation', Buffer.alloc(0)]]), manifest => ({
        ...manifest,
        tables: [...(Array.isArray(manifest.tables) ? manifest.tables : []), emptyTable('installation')],
      })),
      'the table installation is not known here',
    ],
    'a partition': () => [
      changedManifest(new Map([...entries, ['tables/later_0', Buffer.alloc(0)]]), manifest => ({
        ...manifest,
        tables: [...(Array.isArray(manifest.tables) ? manifest.tables : []), emptyTable('later_0')],
      })),
      'the table later_0 is not known here',
    ],
    'a token': () => [
      changedManifest(new Map([...entries, ['tables/api_tokens', Buffer.alloc(0)]]), manifest => ({
        ...manifest,
        tables: [...(Array.isArray(manifest.tables) ? manifest.tables : []), emptyTable('api_tokens')],
      })),
      'the table api_tokens is not brought in from a file',
    ],
    'a missing table': () => [
      changedManifest(new Map([...entries].filter(([name]) => name !== 'tables/tags')), manifest => ({
        ...manifest,
        tables: tablesWith(manifest, '', {}).filter(({ name }) => name !== 'tags'),
      })),
      'the archive has no rows of tags: it is not whole',
    ],
    'an unknown column': () => [
      reshaped('tags', [...columnsOf('tags'), 'x'], values => [...values, '1']),
      'the table tags has no column x',
    ],
    'a secret that is left out': () => [
      reshaped('api_integrations', [...columnsOf('api_integrations'), 'secret'], values => [...values, '\\x00']),
      'the table api_integrations has no column secret',
    ],
    'a computed column': () => [
      reshaped('later', [...columnsOf('later'), 'doubled'], values => [...values, '1']),
      'the table later has no column doubled',
    ],
    'a missing column': () => [
      reshaped('tags', columnsOf('tags').slice(1), values => values.slice(1)),
      /^the column \w+ of tags is missing$/u,
    ],
    'rows of another organization': () => [
      reshaped('tags', ['organization_id', ...columnsOf('tags')], values => [foreign, ...values]),
      'the table tags has no column organization_id',
    ],
    'a value too many': () => [
      reshaped('tags', columnsOf('tags'), values => [...values, foreign]),
      'row 1 of tags: extra data after last expected column',
    ],
    'another organization': () => [
      valued('organizations', 'id', foreign),
      /^a row of \w+: .+ violates foreign key constraint/u,
    ],
    'a second organization': () => [
      changedRows(entries, 'organizations', rows => `${rows}${rows.replace(organization, foreign)}`),
      '1 rows of organizations have arrived, and not 2',
    ],
    'the end of all rows in the middle': () => [
      changedRows(entries, 'tags', rows => `\\.\n${rows}`),
      /^row 1 of tags: /u,
    ],
    'U+0000': () => [valued('contacts', 'first_name', 'a\u0000b'), /^row 1 of contacts: invalid byte sequence/u],
    'U+0000 in a document': () => [
      valued('contacts', 'contact_data', String.raw`{"phones": ["\\u0000"]}`),
      'row 1 of contacts: unsupported Unicode escape sequence',
    ],
    'a row without an end': () => [
      changedRows(entries, 'tags', rows => `${rows}${'x'.repeat(68_000_000)}`),
      'a row of tags is longer than 64 MiB',
    ],
    'a value of another kind': () => [
      valued('tags', 'id', 'no uuid'),
      'row 1 of tags: invalid input syntax for type uuid: "no uuid"',
    ],
    'a value that is not allowed': () => [
      valued('tasks', 'status', 'x'),
      /^row 1 of tasks: .+ violates check constraint "tasks_status_check"$/u,
    ],
    'a reference to nothing': () => [
      valued('checklists', 'task_id', foreign),
      /^a row of checklists: .+ violates foreign key constraint/u,
    ],
    'lists in lists without end': () => [
      valued('contacts', 'contact_data', `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
      'row 1 of contacts: stack depth limit exceeded',
    ],
  }

  it.each(Object.keys(wrong))('%s: is refused with the reason, and leaves nothing behind', async name => {
    const hostile = join(folder, 'hostile.zip')
    const [content, said] = wrong[name]?.() ?? [Buffer.alloc(0), '']
    await (Buffer.isBuffer(content) ? writeFile(hostile, content) : writeEntries(hostile, content))
    const reason = await toCommands.reasonOf('organization', 'import', hostile)
    if (typeof said === 'string') expect(reason).toBe(said)
    else expect(reason).toMatch(said)
    expect(await countOf(organization)).toBe(0)
    expect(await countOf(foreign)).toBe(0)
    await rm(hostile)
  })
})

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

function emptyTable(name: string): JsonObject {
  return { name, columns: [], rows: 0, bytes: 0, sha256: emptySha256 }
}
