import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { holdContact } from '../process/support/hold.ts'
import { besideServer, demoClient } from '../process/support/installations.ts'
import { partsOf, serveWithTwo } from '../process/support/parts.ts'
import { aContact } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { isAlive, postmasterOf, type Server, sendSignal, useProcesses } from '../support/process.ts'
import { until, within } from '../support/waiting.ts'

const processes = useProcesses()

let folder: string
let server: Server
let client: Client

beforeAll(async () => {
  folder = await processes.startedBefore()
})
beforeEach(async () => {
  if (!server?.running) server = await serveWithTwo(processes, { CRM_DATA_DIR: folder })
  client = await demoClient(server, folder)
})

const everyPart = () => partsOf(server)
const noneRuns = (pids: readonly number[]) => until('the end of all', () => !pids.some(isAlive))
const ended = () => within(30_000, 'the end of the server', server.ended)

test('SIGTERM lets running requests finish, then ends all; the output is that of a server of one process', async () => {
  const { data: contact } = await client.post('/contacts', aContact())
  const database = await besideServer(folder)
  const held = await holdContact(database, contact.id)
  const slow = client.patch(`/contacts/${contact.id}`, { expectedVersion: 1, jobTitle: 'Buyer' })
  await held.waiting()
  const parts = everyPart()
  expect(parts).toHaveLength(3)
  server.send('SIGTERM')
  await until('the end of the process for jobs', () => partsOf(server, 'worker').length === 0)
  void held.letGo()
  const { status, data } = await slow
  expect([status, data.version]).toEqual([200, 2])
  await database.close()
  const ending = await ended()
  expect(ending).toMatchObject({ status: 0, signal: null })
  expect(parts.filter(isAlive)).toEqual([])
  expect(await postmasterOf(folder)).toBeNull()

  const alone = await processes.serve({ CRM_DATA_DIR: folder })
  const addressless = (out: string) => out.replace(/127\.0\.0\.1:\d+/gu, 'address')
  expect(addressless(ending.out)).toBe(addressless((await alone.end('SIGTERM')).out))
})

test('a second signal ends all processes at once, also while requests run', async () => {
  const { data: contact } = await client.post('/contacts', aContact())
  const database = await besideServer(folder)
  const held = await holdContact(database, contact.id)
  const cut = client.patch(`/contacts/${contact.id}`, { expectedVersion: 1, jobTitle: 'Buyer' }).catch(() => 'cut')
  await held.waiting()
  const parts = everyPart()
  server.send('SIGTERM')
  await until('the end of the process for jobs', () => partsOf(server, 'worker').length === 0)
  server.send('SIGTERM')
  expect((await ended()).status).toBe(130)
  await noneRuns(parts)
  expect(await cut).toBe('cut')
  await until('the end of the database', async () => (await postmasterOf(folder)) === null)
  // The connection that held the contact has ended with the database.
  await held.letGo().catch(() => {})
  await database.close()
})

test('a first process that is killed leaves no other one and no database, and the next start has every answered change', async () => {
  const { data } = await client.post('/contacts', aContact())
  const parts = everyPart()
  expect(parts).toHaveLength(3)
  await server.end('SIGKILL')
  await noneRuns(parts)
  await until('the end of the database', async () => (await postmasterOf(folder)) === null)
  server = await serveWithTwo(processes, { CRM_DATA_DIR: folder })
  client = await demoClient(server, folder)
  expect((await client.get(`/contacts/${data.id}`)).data).toEqual(data)
})

test('a server whose database is lost ends with all its processes, and says why', async () => {
  const parts = everyPart()
  const postmaster = await postmasterOf(folder)
  if (postmaster !== null) sendSignal(postmaster, 'SIGKILL')
  const { status, err } = await ended()
  expect(status).toBe(1)
  expect(err).toContain('database lost')
  expect(parts.filter(isAlive)).toEqual([])
})

test('a server whose processes end as often as they are started says so, and ends', async () => {
  const secret = join(folder, 'secret')
  const kept = await readFile(secret, 'utf8')
  await writeFile(secret, 'short')
  try {
    for (const pid of partsOf(server, 'api')) sendSignal(pid, 'SIGKILL')
    const { status, err } = await ended()
    expect(status).toBe(1)
    expect(err).toContain('is too short: restore it from a backup')
    expect(err).toContain('its processes end as often as they are started')
    expect(await postmasterOf(folder)).toBeNull()
  } finally {
    await writeFile(secret, kept)
  }
})
