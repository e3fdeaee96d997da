import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { open, rename, rm, statfs, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { aFile, attach } from '../../conformance/support/files.ts'
import { upload } from '../../conformance/support/imports.ts'
import { aBase, putFile } from '../../knowledge/support/knowledge.ts'
import { aContact } from '../../support/builders.ts'
import { type Answer, Client } from '../../support/client.ts'
import { createTestDatabase } from '../../support/database.ts'
import { useProcesses } from '../../support/process.ts'
import { until } from '../../support/waiting.ts'
import { anApplication, demoClient, environmentOf } from '../support/installations.ts'
import { aSmallDisk } from '../support/small-disk.ts'

const mebibyte = 1024 * 1024
const processes = useProcesses()
const [ofFiles, ofDatabase] = [aSmallDisk(100), aSmallDisk(400)]
afterAll(async () => {
  await ofFiles?.remove()
  await ofDatabase?.remove()
})

/** Takes the disk but for so many bytes; the function that it gives makes room again. */
async function fillBut(folder: string, bytes: number): Promise<() => Promise<void>> {
  const { bavail, bsize } = await statfs(folder)
  const path = join(folder, 'filler')
  const file = await open(path, 'w')
  await file.writev(
    Array.from({ length: Math.floor((bavail * bsize - bytes) / mebibyte) }, () => Buffer.alloc(mebibyte)),
  )
  await file.close()
  return () => rm(path)
}

function expectKept({ status, headers, error, details }: Answer): void {
  expect([status, error.code, details.bound, headers.get('retry-after')]).toEqual([
    503,
    'service_unavailable',
    'diskReserve',
    '5',
  ])
  expect(String(error.message)).toContain('is kept for records')
}

const shortOf = (client: Client) => async () => (await upload(client, 'Name\nAnna\n')).status === 503
const roomFor = (client: Client) => async () => (await upload(client, 'Name\nAnna\n')).status === 201

/** Uploads of all kinds and exports are refused, and rows are written. */
async function expectRowsAlone(client: Client, task: string): Promise<void> {
  expectKept(await attach(client, `/tasks/${task}`, 1, [aFile()]))
  expectKept(await upload(client, 'Name\nAnna\n'))
  expectKept(await putFile(client, { base: randomUUID(), id: 'f', name: 'a.txt', content: 'x' }))
  expectKept(await client.post('/exports', { type: 'deals' }))
  expect((await client.post('/contacts', aContact())).status).toBe(201)
}

describe.runIf(ofFiles !== null && ofDatabase !== null)('the reserve of a disk', () => {
  it('lets no file in beyond it, however many come at the same time, until there is room again', async () => {
    const folder = ofFiles?.folder ?? ''
    const tested = await createTestDatabase(2)
    const { token } = await anApplication(tested.database)
    const server = await processes.serve({ ...(await environmentOf(processes, tested)), CRM_DATA_DIR: folder })
    const client = new Client(server.url, token)
    const tasks = await Promise.all(
      Array.from({ length: 12 }, async () => String((await client.post('/tasks', { title: 'Call' })).data.id)),
    )
    const large = aFile(Buffer.alloc(9 * mebibyte))
    const answers = await Promise.all(tasks.map(id => attach(client, `/tasks/${id}`, 1, [large])))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]))
    // None of them was let in only to find the disk full.
    for (const answer of answers.filter(({ status }) => status === 503)) expectKept(answer)
    const { bavail, blocks } = await statfs(folder)
    expect(bavail).toBeGreaterThan(0.05 * blocks)

    const refused = tasks[answers.findIndex(({ status }) => status === 503)] ?? ''
    const empty = await fillBut(folder, 4 * mebibyte)
    await until('the server to see it', shortOf(client))
    await expectRowsAlone(client, refused)
    await empty()
    await until('the server to see that there is room', roomFor(client))
    expect((await attach(client, `/tasks/${refused}`, 1, [aFile()])).status).toBe(201)
    expect((await client.post('/exports', { type: 'deals' })).status).toBe(202)
    await server.end('SIGTERM')
    await tested.drop()
  }, 180_000)

  it('is kept on the disk of the embedded database too', async () => {
    const folder = await processes.startedBefore()
    const disk = ofDatabase?.folder ?? ''
    await promisify(execFile)('cp', ['-a', join(folder, 'postgres'), disk])
    await rename(join(folder, 'postgres'), join(folder, 'postgres.before'))
    await symlink(join(disk, 'postgres'), join(folder, 'postgres'))
    const server = await processes.serve({ CRM_DATA_DIR: folder })
    const client = await demoClient(server, folder)
    const task = String((await client.post('/tasks', { title: 'Call' })).data.id)
    expect((await putFile(client, { base: await aBase(client), id: 'f', name: 'a.txt', content: 'x' })).status).toBe(
      200,
    )
    // PostgreSQL takes 16 MiB at a time for its log.
    const empty = await fillBut(disk, 19 * mebibyte)
    await until('the server to see it', shortOf(client))
    await expectRowsAlone(client, task)
    await empty()
    await until('the server to see that there is room', roomFor(client))
    await server.end('SIGTERM')
  }, 180_000)
})
