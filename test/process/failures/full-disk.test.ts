import { randomUUID } from 'node:crypto'
import { appendFile, chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { productVersion } from '../../../server/src/kernel/product/index.ts'
import { upload } from '../../conformance/support/imports.ts'
import { aContact } from '../../support/builders.ts'
import { type Answer, Client } from '../../support/client.ts'
import { createTestDatabase } from '../../support/database.ts'
import { postmasterOf, type Server, sendSignal, useProcesses } from '../../support/process.ts'
import { until } from '../../support/waiting.ts'
import { anApplication, demoClient, environmentOf } from '../support/installations.ts'
import { aSmallDisk } from '../support/small-disk.ts'

const processes = useProcesses()

function expectNoRoom({ status, headers, error }: Answer): void {
  expect([status, error.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '5'])
}

async function readiness(server: Server): Promise<unknown[]> {
  const answer = await fetch(`${server.url}/readyz`)
  return [answer.status, await answer.json()]
}

const ready = [200, { status: 'ok', version: productVersion, database: 'ok', rateLimiter: 'ok' }]
const full = [503, { status: 'unavailable', version: productVersion, database: 'full', rateLimiter: 'ok' }]

/** Writes of contacts, and all that takes room for the time of a statement, fail as PostgreSQL fails on a full disk. */
const simulatedDisk = `
  create table test_disk (is_full boolean);
  insert into test_disk values (false);
  create function take_room() returns boolean language plpgsql as $$ begin
    if (select is_full from public.test_disk) then
      raise exception 'could not extend file "base/1/1": No space left on device' using errcode = '53100';
    end if;
    return true;
  end $$;
  alter table contacts add constraint test_disk check (take_room());
  create function generate_series(first integer, last integer) returns setof integer language plpgsql as $$ begin
    perform take_room();
    return query select n from pg_catalog.generate_series(first, last) as n;
  end $$;`

test('a database without room costs writes a 503 and no effect, reads nothing, until there is room again', async () => {
  const tested = await createTestDatabase(2)
  const { database, location, drop } = tested
  try {
    const found = 'url' in location ? '' : location.database
    await database.script(`${simulatedDisk} alter database ${found} set search_path to public, pg_catalog`)
    const { token } = await anApplication(database)
    const server = await processes.serve(await environmentOf(processes, tested))
    const client = new Client(server.url, token)
    const { data } = await client.post('/contacts', aContact())
    expect(await readiness(server)).toEqual(ready)

    await database.script('update test_disk set is_full = true')
    const key = randomUUID()
    const contact = aContact()
    expectNoRoom(await client.post('/contacts', contact, { key }))
    expectNoRoom(await client.post('/contacts/batch/upsert', { items: [aContact(), aContact()] }))
    const refused = await upload(client, 'Name\nAnna\n')
    expectNoRoom(refused)
    expect(refused.details.bound).toBe('fullDatabase')
    expect(await readiness(server)).toEqual(full)
    expect(await readiness(server)).toEqual(full)
    expect((await client.get(`/contacts/${data.id}`)).data).toEqual(data)
    expect((await client.get(`/contacts?externalId=${contact.externalId}`)).items).toEqual([])

    await database.script('update test_disk set is_full = false')
    await until('a ready server', async () => (await readiness(server))[0] === 200)
    expect(await readiness(server)).toEqual(ready)
    expect((await client.post('/contacts', contact, { key })).status).toBe(201)
    await server.end('SIGTERM')
  } finally {
    await drop()
  }
})

const disk = aSmallDisk(160)

test.runIf(disk !== null)(
  'a disk that is really full has the same effect, and the embedded database survives it',
  async () => {
    const folder = disk?.folder ?? ''
    const dataDirectory = join(folder, 'data')
    const filler = join(folder, 'filler')
    try {
      await processes.startedBefore(dataDirectory)
      const server = await processes.serve({ CRM_DATA_DIR: dataDirectory })
      const client = await demoClient(server, dataDirectory)
      const { data } = await client.post('/contacts', aContact())
      const large = () => ({
        items: Array.from({ length: 100 }, () => aContact({ description: randomUUID().repeat(200) })),
      })

      await chmod(folder, 0o755)
      const fill = async (bytes: number): Promise<void> =>
        appendFile(filler, Buffer.alloc(bytes)).then(() => fill(bytes))
      for (const bytes of [2 ** 20, 2 ** 12]) await fill(bytes).catch(() => {})
      const refused = await until('a write that finds no room', async () => {
        const answer = await client.post('/contacts/batch/upsert', large())
        return answer.status !== 200 && answer
      })
      expectNoRoom(refused)
      expect(await readiness(server)).toEqual(full)
      expect((await client.get(`/contacts/${data.id}`)).data).toEqual(data)
      expect(server.err).toContain('the disk of the database is full, make room there')
      expect(server.err).not.toContain('"stack"')

      await rm(filler)
      await until('a ready server', async () => (await readiness(server))[0] === 200)
      expect((await client.post('/contacts/batch/upsert', large())).meta).toMatchObject({ failed: 0 })
      expect((await server.end('SIGTERM')).status).toBe(0)
    } finally {
      const postmaster = await postmasterOf(dataDirectory)
      if (postmaster !== null) sendSignal(postmaster, 'SIGKILL')
      await disk?.remove()
    }
  },
)
