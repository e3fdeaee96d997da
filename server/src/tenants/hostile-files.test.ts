import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../../test/support/api.ts'
import { objectOf } from '../../../test/support/client.ts'
import { type Commands, commandsOn, removeFolder } from '../../../test/support/commands.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { aFullOrganization } from '../../../test/support/full-organization.ts'
import { noShells } from '../../../test/support/no-shells.ts'
import { laterRows, laterTable, linesOf, objectIn } from '../../../test/support/organization-file.ts'
import { rowsOf } from '../../../test/support/tenant-rows.ts'
import type { JsonObject } from '../kernel/schema/index.ts'

let from: TestApi
let to: TestDatabase
let toCommands: Commands
let folder: string
let organization: string
let lines: string[]

beforeAll(async () => {
  from = await startApi()
  to = await createTestDatabase(2)
  toCommands = await commandsOn(to, noShells)
  folder = await mkdtemp(join(tmpdir(), 'crm-tenants-'))
  for (const { database } of [from.test, to]) await database.script(laterTable)
  organization = (await aFullOrganization(from)).id
  await from.test.database.script(laterRows(organization))
  const fromCommands = await commandsOn(from.test, noShells, from)
  const file = join(folder, 'organization.jsonl')
  await fromCommands.json('organization', 'export', organization, file)
  lines = linesOf(await readFile(file, 'utf8'))
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

/** The line of a row of the table; `at` counts from 1, as in messages. */
function lineOf(table: string, place = 0): { at: number; text: string; row: JsonObject } {
  const all = lines.flatMap((text, index) => (text.startsWith(`{"table":"${table}"`) ? [{ at: index + 1, text }] : []))
  const found = all[place]
  if (found === undefined) throw new Error(`no row of ${table}`)
  return { ...found, row: objectOf(objectIn(found.text).row) }
}

/** A line with bytes of the first file. */
function bytesLine(): { at: number; file: string } {
  const index = lines.findIndex(line => /^\{"file":"[^"]+","bytes":"[^"]/u.test(line))
  return { at: index + 1, file: String(objectIn(lines[index]).file) }
}

describe('what is wrong with a file', () => {
  const replaced = (at: number, text: string) => lines.with(at - 1, text)
  const rowOf = (table: string, row: JsonObject) => JSON.stringify({ table, row })
  const headWith = (members: JsonObject) => replaced(1, JSON.stringify({ ...objectIn(lines[0]), ...members }))
  const foreign = '00000000-0000-4000-8000-000000000000'

  /** The content of each file, and what is said of it. */
  const wrong: Readonly<Record<string, () => readonly [readonly string[] | string | Buffer, string | RegExp]>> = {
    'nothing in it': () => ['', 'the file is empty'],
    'something else': () => [['{"a":1}'], 'line 1: this is no file that "organization export" has written'],
    'no JSON': () => ['%PDF', 'line 1 is not JSON: the file is damaged, or was cut off'],
    'a later format': () => [headWith({ formatVersion: 2 }), 'line 1: the file has the format 2, and not 1'],
    'no organization': () => [
      headWith({ organization: { id: 'x', name: '' } }),
      'line 1: the head names no organization',
    ],
    'half a head': () => [headWith({ schema: null }), 'line 1: the head of the file is not whole'],
    'another schema': () => [
      headWith({ schema: '0001_kernel.sql' }),
      /^the file has the schema 0001_kernel\.sql \(product 0\.1\.0\), this installation \S+: bring both to the same version/u,
    ],
    'a missing end': () => [
      lines.slice(0, -1),
      `the file was cut off behind line ${lines.length - 1}: its end is missing`,
    ],
    'half a line': () => {
      const text = lines.join('\n')
      return [text.slice(0, -9), `line ${lines.length} is not JSON: the file is damaged, or was cut off`]
    },
    'bytes that are others': () => {
      const { at, file } = bytesLine()
      const other = JSON.stringify({ file, bytes: 'AAAA' })
      return [replaced(at, other), `the bytes of the file ${file} are not those of its row: the file is damaged`]
    },
    'missing bytes': () => {
      const { file } = bytesLine()
      return [
        lines.filter(line => !line.startsWith(`{"file":"${file}"`)),
        /^of (\d+) files the bytes of \d+ have come$/u,
      ]
    },
    'bytes of an unknown file': () => [
      lines.toSpliced(-1, 0, JSON.stringify({ file: foreign, bytes: '' })),
      `the file ${foreign} has no row`,
    ],
    'bytes that come twice': () => {
      const { file } = bytesLine()
      return [lines.toSpliced(-1, 0, JSON.stringify({ file, bytes: '' })), `the file ${file} comes twice`]
    },
    'bytes that are none': () => [
      replaced(bytesLine().at, JSON.stringify({ file: 'x', bytes: '' })),
      `line ${bytesLine().at}: these are no bytes of a file`,
    ],
    'a missing row': () => {
      const { at } = lineOf('tasks')
      const said = /^of tasks the end of the file tells (\d+) rows, there are \d+, and \d+ arrived$/u
      return [lines.toSpliced(at - 1, 1), said]
    },
    'more behind its end': () => [[...lines, '{}'], `line ${lines.length + 1} stands behind the end of the file`],
    'a row twice': () => {
      const { at, text } = lineOf('changes', 3)
      const said = `line ${at + 1}, a row of changes: duplicate key value violates unique constraint "changes_pkey"`
      return [lines.toSpliced(at, 0, text), said]
    },
    'an unknown table': () => [replaced(2, rowOf('pg_authid', {})), 'line 2: the table pg_authid is not known here'],
    'a partition': () => [replaced(2, rowOf('later_0', {})), 'line 2: the table later_0 is not known here'],
    'a token': () => [
      replaced(2, rowOf('api_tokens', {})),
      'line 2: the table api_tokens is not brought in from a file',
    ],
    'an unknown column': () => {
      const { at, row } = lineOf('tags')
      return [replaced(at, rowOf('tags', { ...row, x: 1 })), `line ${at}: the table tags has no column x`]
    },
    'a computed column': () => {
      const { at, row } = lineOf('later')
      return [replaced(at, rowOf('later', { ...row, doubled: 1 })), `line ${at}: the table later has no column doubled`]
    },
    'a missing column': () => {
      const { at, row } = lineOf('tags')
      const { kinds: _, ...others } = row
      return [replaced(at, rowOf('tags', others)), `line ${at}: the column kinds of tags is missing`]
    },
    'a row of another organization': () => {
      const { at, row } = lineOf('tags')
      const said = `line ${at}: the row names an organization: all of the file belong to that of the first line`
      return [replaced(at, rowOf('tags', { ...row, organization_id: foreign })), said]
    },
    'another organization': () => {
      const { at, row } = lineOf('organizations')
      const said = `line ${at}: the row is another organization than that of the first line`
      return [replaced(at, rowOf('organizations', { ...row, id: foreign })), said]
    },
    'a second organization': () => {
      const { at, text } = lineOf('organizations')
      return [lines.toSpliced(at, 0, text), /^line 3, a row of organizations: duplicate key value/u]
    },
    'a member too many': () => [replaced(2, '{"table":"tags","row":{},"more":1}'), 'line 2: a row has no member more'],
    'no object': () => [replaced(2, '[]'), 'line 2: this is no object'],
    'neither row nor end': () => [replaced(2, '{}'), 'line 2: this is neither a row nor the end of the file'],
    'no row': () => [replaced(2, '{"table":"tags","row":[]}'), 'line 2: the row is no object'],
    'an empty line': () => [replaced(2, ''), 'line 2 is not JSON: the file is damaged, or was cut off'],
    'U+0000': () => {
      const { at, row } = lineOf('contacts')
      const text = rowOf('contacts', { ...row, first_name: 'a\u0000b' })
      return [replaced(at, text), `line ${at}, a row of contacts: unsupported Unicode escape sequence`]
    },
    'U+0000 in a document': () => {
      const { at, row } = lineOf('contacts')
      const text = rowOf('contacts', { ...row, contact_data: { phones: ['\u0000'] } })
      return [replaced(at, text), `line ${at}, a row of contacts: unsupported Unicode escape sequence`]
    },
    'half a character': () => {
      const { at, row } = lineOf('contacts')
      return [
        replaced(at, rowOf('contacts', { ...row, first_name: '\ud800' })),
        /^line \d+, a row of contacts: invalid/u,
      ]
    },
    'bytes that are no text': () => [
      Buffer.concat([Buffer.from(`${lines[0]}\n`), Buffer.from([0xff, 0x0a])]),
      /^line \d+ or one soon behind it is not UTF-8$/u,
    ],
    'a line without an end': () => [`${lines[0]}\n{"${'x'.repeat(68_000_000)}`, 'line 2 is longer than 64 MiB'],
    'a value of another kind': () => {
      const { at, row } = lineOf('tags')
      const said = `line ${at}, a row of tags: invalid input syntax for type uuid: "no uuid"`
      return [replaced(at, rowOf('tags', { ...row, id: 'no uuid' })), said]
    },
    'a value that is not allowed': () => {
      const { at, row } = lineOf('tasks')
      return [
        replaced(at, rowOf('tasks', { ...row, status: 'x' })),
        /^line \d+, a row of tasks: .+ "tasks_status_check"$/u,
      ]
    },
    'a reference to nothing': () => {
      const { at, row } = lineOf('checklists')
      const text = rowOf('checklists', { ...row, task_id: foreign })
      return [
        replaced(at, text),
        new RegExp(`^line ${at}, a row of checklists: .+ violates foreign key constraint`, 'u'),
      ]
    },
    'lists in lists without end': () => {
      const { at, text } = lineOf('contacts')
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
      return [
        replaced(at, text.replace(/"websites":\[\]|"contact_data":\{/u, `"contact_data":${deep},$&`)),
        /stack depth limit exceeded/u,
      ]
    },
  }

  it.each(Object.keys(wrong))('%s: is told, and nothing is left behind', async name => {
    const hostile = join(folder, 'hostile.jsonl')
    const [content, said] = wrong[name]?.() ?? ['', '']
    await writeFile(hostile, Array.isArray(content) ? `${content.join('\n')}\n` : content)
    const reason = await toCommands.reasonOf('organization', 'import', hostile)
    if (typeof said === 'string') expect(reason).toBe(said)
    else expect(reason).toMatch(said)
    expect(await countOf(organization)).toBe(0)
    expect(await countOf(foreign)).toBe(0)
    await rm(hostile)
  })
})
