import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { attach, download } from '../conformance/support/files.ts'
import { aContact, aTask } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { hold, isWaitedFor } from '../support/hold.ts'
import { type Server, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { anApplication, besideServer, environmentOf } from './support/installations.ts'

const processes = useProcesses()
let source: TestDatabase
let environment: Readonly<Record<string, string>>
let server: Server
let client: Client
let folder: string

beforeAll(async () => {
  source = await createTestDatabase(2)
  const { token } = await anApplication(source.database)
  environment = await environmentOf(processes, source)
  server = await processes.serve(environment)
  client = new Client(server.url, token)
  folder = await processes.folder()
})
afterAll(async () => {
  await processes.end()
  await source.drop()
})

/** Runs a command, and resolves to the document that it prints. */
async function document(words: readonly string[], variables: Readonly<Record<string, string>>): Promise<JsonObject> {
  const { status, out, err } = await processes.run([...words, '--json'], variables)
  expect([status, err]).toEqual([0, expect.not.stringMatching(/error/iu)])
  const printed: unknown = JSON.parse(out)
  if (!isObject(printed)) throw new Error(`no JSON object: ${out}`)
  return printed
}

/** Clients that create and change contacts until they are stopped, and what they were last answered of each. */
function writers(count: number) {
  const versions = new Map<string, number>()
  let isStopped = false
  const note = ({ id, version }: JsonObject) => void versions.set(String(id), Number(version))
  const work = Array.from({ length: count }, async () => {
    while (!isStopped) {
      const created = await client.post('/contacts', aContact())
      expect(created.status).toBe(201)
      note(created.data)
      const changed = await client.patch(`/contacts/${created.data.id}`, { expectedVersion: 1, lastName: 'Changed' })
      expect(changed.status).toBe(200)
      note(changed.data)
    }
  })
  const stop = async () => {
    isStopped = true
    await Promise.all(work)
  }
  return { versions, stop }
}

const countRows = statement(
  'test_rows_of_restored',
  `select (select count(*) from changes) as changes,
          (select sum(f.seq) from organization_feed f) as numbers`,
)

test('writes that were answered before a backup under load are there after its restore, and integrators go on or get a 410', async () => {
  const { data: task } = await client.post('/tasks', aTask())
  const attached = await attach(client, `/tasks/${task.id}`, 1)
  const link = new URL(String(attached.items[0]?.url))
  const [key, body] = [randomUUID(), aContact()]
  const answered = await client.post('/contacts', body, { key })
  const cursor = String((await client.get('/changes/cursor')).data.cursor)

  const load = writers(6)
  await until('some records', () => load.versions.size > 200)
  const before = new Map(load.versions)
  const file = join(folder, 'crm.zip')
  const written = await document(['backup', file, '--with-files', '--with-secret'], environment)
  const during = load.versions.size
  await until('more records', () => load.versions.size > during + 50)
  await load.stop()

  // Another machine: an embedded database, and nothing but the file.
  const dataDirectory = await processes.dataDirectory()
  const restored = await document(['restore', file], { CRM_DATA_DIR: dataDirectory })
  const tables = Array.isArray(written.tables) ? written.tables.filter(isObject) : []
  expect(restored.rows).toEqual(Object.fromEntries(tables.map(({ name, rows }) => [name, rows])))
  expect(restored).toMatchObject({ files: 1, hasSameSecret: true, snapshotAt: written.snapshotAt })
  const second = await processes.serve({ CRM_DATA_DIR: dataDirectory })
  const there = new Client(second.url, client.token)
  for (const [id, version] of before) {
    const { status, data } = await there.get(`/contacts/${id}`)
    expect([id, status]).toEqual([id, 200])
    expect(Number(data.version)).toBeGreaterThanOrEqual(version)
    expect(Number(data.version)).toBeLessThanOrEqual(Number(load.versions.get(id)))
  }

  expect((await there.get(`/changes?after=${cursor}`)).error).toMatchObject({
    code: 'cursor_expired',
    details: { resync: expect.stringContaining('/changes/cursor first') },
  })
  const anew = String((await there.get('/changes/cursor')).data.cursor)
  const again = await there.post('/contacts', body, { key })
  expect([again.status, again.body]).toEqual([answered.status, answered.body])
  expect((await there.get(`/changes?after=${anew}`)).items).toEqual([])
  const { status, bytes } = await download(new URL(`${link.pathname}${link.search}`, second.url))
  expect([status, String(bytes)]).toEqual([200, 'Two hundred chairs'])

  // One moment: as many changes as there are numbers.
  const database = await besideServer(dataDirectory)
  const [counted] = await database.search(countRows, [])
  await database.close()
  expect(counted?.numbers).toBe(counted?.changes)
})

test('a backup that is interrupted leaves nothing, and a killed one nothing that looks whole', async () => {
  const file = join(folder, 'ended.zip')
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    const before = await readdir(folder)
    const held = await hold(source.database, 'lock table tags in access exclusive mode')
    const program = processes.start(['backup', file], environment)
    await until('the backup to wait', () => isWaitedFor(source.database, 'tags'))
    const { status } = await program.end(signal)
    await held.release()
    const left = (await readdir(folder)).filter(name => !before.includes(name))
    if (signal === 'SIGINT') expect([status, left]).toEqual([1, []])
    else expect(left).toEqual([expect.stringMatching(/^ended\.zip\.partial-/u)])
    for (const name of left) await rm(join(folder, name))
  }
})

test('a restore that is killed leaves an empty database, and the next one fills it', async () => {
  const dataDirectory = await processes.dataDirectory()
  const target = await createTestDatabase(2)
  const variables = { ...(await environmentOf(processes, target)), CRM_DATA_DIR: dataDirectory }
  const file = join(folder, 'killed.zip')
  await document(['backup', file], environment)
  const held = await hold(target.database, 'lock table changes in access exclusive mode')
  const program = processes.start(['restore', file], variables)
  await until('the restore to wait', () => isWaitedFor(target.database, 'changes'))
  await program.end('SIGKILL')
  await held.release()
  await until('its connection to end', async () => !(await isWaitedFor(target.database, 'changes')))
  expect(await document(['restore', file], variables)).toMatchObject({ files: 0, hasSameSecret: true })
  await target.drop()
})
