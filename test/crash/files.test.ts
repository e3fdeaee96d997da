import { readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { attach, download } from '../conformance/support/files.ts'
import { holdDeal } from '../process/support/hold.ts'
import { anApplication, environmentOf } from '../process/support/installations.ts'
import { aCompany, aDeal } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Environment, type Server, useProcesses } from '../support/process.ts'

const processes = useProcesses()
let tested: TestDatabase
let environment: Environment
let server: Server
let token: string
let folder: string
let deal: string
/** The link to a file that is recorded. */
let link: unknown

beforeAll(async () => {
  tested = await createTestDatabase(4)
  environment = await environmentOf(processes, tested)
  const application = await anApplication(tested.database)
  token = application.token
  folder = join(environment.CRM_DATA_DIR ?? '', 'files', application.organizationId, 'attachment')
  server = await processes.serve(environment)
  const client = new Client(server.url, token)
  const company = await client.post('/companies', aCompany())
  deal = String((await client.post('/deals', aDeal({ companies: [{ id: company.data.id }] }))).data.id)
  link = (await attach(client, `/deals/${deal}`, 1)).items[0]?.url
  return async () => {
    await server.end('SIGKILL')
    await tested.drop()
  }
})

async function doctor() {
  const { status, out } = await processes.run(['doctor', '--files', '--json'], environment)
  const { checks }: { checks: { name: string; ok: boolean; message: string }[] } = JSON.parse(out)
  return { status, failed: checks.filter(({ ok }) => !ok) }
}

const names = async () => (await readdir(folder)).toSorted()

test('a file that was stored when the server was killed, and not recorded, is found and removed; the recorded one stays', async () => {
  const [recorded = ''] = await names()
  const held = await holdDeal(tested.database, deal)
  const sent = attach(new Client(server.url, token), `/deals/${deal}`, 2, undefined, { key: 'killed' }).catch(
    () => null,
  )
  await held.waiting()
  await server.end('SIGKILL')
  await held.letGo()
  expect(await sent).toBeNull()
  const [orphan = ''] = (await names()).filter(name => name !== recorded)
  expect(await names()).toHaveLength(2)

  // The same request, sent again, is executed: nothing of the first one counts.
  server = await processes.serve(environment)
  const again = await attach(new Client(server.url, token), `/deals/${deal}`, 2, undefined, { key: 'killed' })
  expect([again.status, again.meta.version, again.headers.get('idempotent-replayed')]).toEqual([201, 3, null])
  expect(await names()).toHaveLength(3)

  // A young file may still be recorded by somebody.
  expect(await doctor()).toEqual({ status: 0, failed: [] })
  const old = new Date(Date.now() - 3_601_000)
  for (const name of await names()) await utimes(join(folder, name), old, old)
  // As it would be had the server been killed while it wrote the file.
  const partial = join(environment.CRM_DATA_DIR ?? '', 'files', 'partial')
  await writeFile(join(partial, 'unfinished'), 'a')
  await utimes(join(partial, 'unfinished'), old, old)
  const found = await doctor()
  expect(found).toMatchObject({ status: 1, failed: [{ name: 'files without a row' }] })
  expect(found.failed[0]?.message).toMatch(new RegExp(`^1: [0-9a-f-]{36}/attachment/${orphan}\\.`, 'u'))

  const { status, out } = await processes.run(['maintenance', 'run', '--json'], environment)
  expect([status, JSON.parse(out)]).toMatchObject([0, { filesWithoutRow: 1, unfinishedFiles: 1 }])
  expect(await readdir(partial)).toEqual([])
  expect(await names()).toEqual([recorded, String(again.items[0]?.id)].toSorted())
  const { pathname, search } = new URL(String(link))
  expect((await download(`${server.url}${pathname}${search}`)).status).toBe(200)
  expect(await doctor()).toEqual({ status: 0, failed: [] })
})

test('a recorded file that is gone is named', async () => {
  const [lost = ''] = await names()
  await rm(join(folder, lost))
  const { status, failed } = await doctor()
  expect([status, failed]).toMatchObject([1, [{ name: 'recorded files' }]])
  expect(failed[0]?.message).toContain(`1 of 2 are not as recorded`)
  expect(failed[0]?.message).toContain(`attachment/${lost} (missing)`)
})
