import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { exportJob } from '../../server/src/crm/exports/run-export.ts'
import {
  DiskStore,
  type FileSource,
  type FileStore,
  FileStoreFailure,
  Files,
  filesOf,
} from '../../server/src/kernel/files/index.ts'
import { bounds, type Services, scopes } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { createToken, revokeToken } from '../../server/src/settings/index.ts'
import { aContext } from '../conformance/support/bulk-jobs.ts'
import { aSmallDisk } from '../process/support/small-disk.ts'
import { TestClock } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { runJobs, startWorker, untilTokenHasEnded } from '../support/jobs.ts'
import { anOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { useQueue } from './support.ts'

const companies = 2000
/** Half as large as the file of all companies. */
const disk = aSmallDisk(2)
afterAll(() => disk?.remove())

const clock = new TestClock()
const queue = useQueue({ clock })

// A file of some megabytes, which is written in many parts.
const fillCompanies = statement(
  'test_fill_companies',
  `insert into companies (organization_id, id, version, created_at, updated_at, name, description, websites, contact_data,
     custom_fields, tag_ids, search_names, search_contact_data, search_custom_fields)
   select $1, gen_random_uuid(), 1, now(), now(), 'Company ' || n, repeat('x', 2000), '[]',
          '{"phones": [], "emails": [], "addresses": [], "messengers": []}', '{}', '{}', '', '', ''
     from generate_series(1, $2::integer) as n`,
)
const fill = () => queue.api.test.database.search(fillCompanies, [queue.organization.id, companies])

async function ask(type: string): Promise<string> {
  return String((await queue.organization.client.post('/exports', { type })).data.id)
}

const read = async (id: string) => (await queue.organization.client.get(`/exports/${id}`)).data

/** What lies in the store for the organization. */
async function stored(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of queue.api.services.files.store.list(filesOf(queue.organization.id))) keys.push(key)
  return keys
}

/** The services with a store that calls `onChunk` with each part of a file that it is given, before it takes it. */
function withStore(onChunk: (index: number) => Promise<void> | void): { services: Services } {
  const { files } = queue.api.services
  const { store } = files
  const hooked: FileStore = {
    put(key: string, source: FileSource) {
      return store.put(key, 'path' in source ? source : { chunks: watched(source.chunks) })
    },
    get: (key, range) => store.get(key, range),
    stat: key => store.stat(key),
    list: prefix => store.list(prefix),
    remove: key => store.remove(key),
    removeDrafts: () => store.removeDrafts(),
  }
  async function* watched(chunks: AsyncIterable<Uint8Array>) {
    let index = 0
    for await (const chunk of chunks) {
      await onChunk(index)
      index += 1
      yield chunk
    }
  }
  return { services: { ...queue.api.services, files: new Files(hooked, files.links) } }
}

const retryNow = statement(
  'test_retry_jobs_now',
  'update graphile_worker._private_jobs set run_at = now() where attempts < max_attempts and locked_at is null',
)

/** Runs what failed before again, without the pause before it. */
async function runAgain() {
  await queue.api.test.database.search(retryNow, [])
  return runJobs(queue.api)
}

describe('an export that is interrupted', () => {
  it('by a store without room begins anew when there is some, and leaves nothing behind', async () => {
    await fill()
    const id = await ask('companies')
    const full = withStore(index => {
      if (index === 3) throw new FileStoreFailure('no space left on device')
    })
    const { ended } = await runJobs(full)
    expect(ended.map(({ outcome }) => outcome)).toEqual(['failed'])
    expect(await stored()).toEqual([])
    expect(await read(id)).toMatchObject({ status: 'running', failure: null })
    await runAgain()
    expect(await read(id)).toMatchObject({ status: 'completed', rowCount: companies })
    expect(await stored()).toHaveLength(1)
  })

  it.runIf(disk !== null)('by a disk without room says that it was the disk', async () => {
    await fill()
    const id = await ask('companies')
    const { links } = queue.api.services.files
    const onDisk = new Files(new DiskStore(join(disk?.folder ?? '', 'files')), links)
    const { ended } = await runJobs({ services: { ...queue.api.services, files: onDisk } })
    const error = expect.objectContaining({ message: expect.stringContaining('ENOSPC') })
    expect(ended).toMatchObject([{ outcome: 'failed', error: expect.any(FileStoreFailure) }])
    expect(ended).toMatchObject([{ error }])
    expect(await readdir(join(disk?.folder ?? '', 'files', 'partial'))).toEqual([])
    await runAgain()
    expect(await read(id)).toMatchObject({ status: 'completed', rowCount: companies })
  })

  it('by the end of its token fails, and leaves nothing behind', async () => {
    await fill()
    const { id: organizationId, applicationId, client } = queue.organization
    const administration = { ...queue.api.test, clock }
    const input = { organizationId, applicationId, name: 'Nightly', scopes }
    const { id: tokenId, token } = await createToken(administration, input)
    const { data } = await new Client(queue.api.url, token).post('/exports', { type: 'companies' })
    const { failures } = await runJobs(
      withStore(async index => {
        if (index > 0) return
        await revokeToken(administration, { organizationId, tokenId })
        await untilTokenHasEnded(queue.api.services, { organizationId, tokenId })
      }),
    )
    expect([failures, await stored()]).toEqual([[], []])
    const message = 'The token that began the job was revoked'
    const { data: failed } = await client.get(`/exports/${data.id}`)
    expect(failed).toMatchObject({ status: 'failed', failure: { code: 'invalid_token', message } })
  })

  it('by the reserve of a disk begins anew when there is room, and leaves nothing behind', async () => {
    await fill()
    const id = await ask('companies')
    let parts = 0
    const reached = vi.spyOn(queue.api.services.diskReserve, 'isReached').mockImplementation(() => ++parts > 1)
    onTestFinished(() => reached.mockRestore())
    const { ended } = await runJobs(queue.api)
    expect(ended).toMatchObject([{ outcome: 'failed', error: expect.any(FileStoreFailure) }])
    expect(await stored()).toEqual([])
    reached.mockRestore()
    await runAgain()
    expect(await read(id)).toMatchObject({ status: 'completed', rowCount: companies })
  })

  it('by a lost connection begins anew', async () => {
    await fill()
    const id = await ask('companies')
    const cut = withStore(async index => {
      if (index === 2) await queue.api.test.database.search(cutConnections, [])
    })
    const { ended } = await runJobs(cut)
    expect(ended.map(({ outcome }) => outcome)).toEqual(['failed'])
    expect(await stored()).toEqual([])
    await runAgain()
    expect(await read(id)).toMatchObject({ status: 'completed', rowCount: companies })
  })

  it('by a stop gives way at once, and goes on elsewhere', async () => {
    await fill()
    const id = await ask('companies')
    let stop = Promise.resolve()
    const slow = withStore(index => {
      if (index === 2) stop = worker.stop()
    })
    const worker = startWorker(slow)
    await until('the end of the attempt', () => worker.ended.length > 0)
    await stop
    expect(worker.ended).toMatchObject([{ outcome: 'again' }])
    expect(await stored()).toEqual([])
    await runJobs(queue.api)
    expect(await read(id)).toMatchObject({ status: 'completed', rowCount: companies })
  })

  it('by another attempt is left to it', async () => {
    await fill()
    const id = await ask('companies')
    let taken = false
    const slow = withStore(async () => {
      if (!taken) await queue.api.test.database.search(takeOver, [queue.organization.id, id])
      taken = true
    })
    const { ended } = await runJobs(slow)
    expect(ended).toMatchObject([{ outcome: 'done' }])
    expect(await stored()).toEqual([])
    expect((await read(id)).status).toBe('running')
  })

  it('too often fails, and says what to do', async () => {
    const id = await ask('companies')
    const full = withStore(() => {
      throw new FileStoreFailure('no space left on device')
    })
    await queue.api.test.database.search(almostGivenUp, [])
    await runJobs(full)
    expect(await read(id)).toMatchObject({
      status: 'failed',
      rowCount: null,
      failure: { code: 'internal_error', message: expect.stringContaining('ask for it again') },
    })
    expect((await queue.organization.client.get('/audit')).items[0]).toMatchObject({
      action: 'export.failed',
      resourceId: id,
    })
  })
})

const cutConnections = statement(
  'test_cut_exports',
  `select pg_terminate_backend(a.pid) from pg_stat_activity a
    where a.datname = current_database() and a.query like '-- name: export\\_%' and a.pid <> pg_backend_pid()`,
)
const takeOver = statement(
  'test_take_over',
  `update exports set run_id = gen_random_uuid() where organization_id = $1 and id = $2`,
)
const almostGivenUp = statement(
  'test_almost_given_up',
  'update graphile_worker._private_jobs set attempts = max_attempts - 2 where locked_at is null',
)

describe('an export of persons', () => {
  it('shows none who is erased while it is written', async () => {
    const { client } = queue.organization
    const person = (await client.post('/contacts', aContact())).data
    await client.post('/contacts', aContact())
    const id = await ask('contacts')
    let attempts = 0
    const during = withStore(async () => {
      attempts += 1
      if (attempts === 1) await client.delete(`/contacts/${person.id}?expectedVersion=1`)
    })
    const { ended } = await runJobs(during)
    expect(ended.map(({ outcome }) => outcome)).toEqual(['again', 'done'])
    expect(await read(id)).toMatchObject({ status: 'completed', rowCount: 1 })
    expect(await stored()).toHaveLength(1)
  })

  it('is running until it is written, however often it is begun anew', async () => {
    const { client } = queue.organization
    const person = (await client.post('/contacts', aContact())).data
    const id = await ask('contacts')
    const during = withStore(async () => {
      await client.delete(`/contacts/${person.id}?expectedVersion=1`)
    })
    expect(await exportJob.run({ exportId: id }, aContext(during, queue.organization))).toBe('again')
    expect(await read(id)).toMatchObject({ status: 'running', startedAt: expect.any(String) })
    await runJobs(queue.api)
    expect(await read(id)).toMatchObject({ status: 'completed', rowCount: 0 })
  })

  it('is given up when persons are erased each time', async () => {
    const { client } = queue.organization
    const persons: unknown[] = []
    for (let count = 0; count < 6; count += 1) persons.push((await client.post('/contacts', aContact())).data.id)
    const id = await ask('contacts')
    const during = withStore(async () => {
      await client.delete(`/contacts/${persons.pop()}?expectedVersion=1`)
    })
    await runJobs(during)
    expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'persons_erased' } })
    expect(await stored()).toEqual([])
  })
})

describe('bounds', () => {
  it('a file that is too long is not kept', async () => {
    await fill()
    const id = await ask('companies')
    setBound(bounds.exportFileBytes, 100_000)
    const { ended } = await runJobs(queue.api)
    expect(ended).toMatchObject([{ outcome: 'done' }])
    expect(await read(id)).toMatchObject({ status: 'failed', failure: { code: 'too_large' } })
    expect(await stored()).toEqual([])
  })

  it('rows that take too long are cancelled in the database, and the export is tried again', async () => {
    await fill()
    const id = await ask('companies')
    const before = bounds.exportTime.most
    setBound(bounds.exportTime, 300)
    const { ended } = await runJobs(withStore(() => sleep(60)))
    expect(ended).toMatchObject([{ outcome: 'failed', error: { code: '57014' } }])
    expect(await stored()).toEqual([])
    Reflect.set(bounds.exportTime, 'most', before)
    await runAgain()
    expect(await read(id)).toMatchObject({ status: 'completed', rowCount: companies })
  })

  it('the oldest files go where they are too many bytes', async () => {
    const ids: string[] = []
    for (let count = 0; count < 4; count += 1) {
      clock.advance(1000)
      ids.push(await ask('deals'))
      await runJobs(queue.api)
    }
    const [first = '', second = '', third = '', fourth = ''] = ids
    const size = Number((await read(first)).sizeBytes)
    setBound(bounds.organizationExportBytes, 3 * size)
    const fifth = await ask('deals')
    await runJobs(queue.api)
    const statuses = await Promise.all([first, second, third, fourth, fifth].map(read))
    expect(statuses.map(({ status }) => status)).toEqual(['expired', 'expired', 'completed', 'completed', 'completed'])
  })

  it('two files are written at a time, whatever organizations they are for', async () => {
    const clients = [
      queue.organization,
      await anOrganization(queue.api),
      await anOrganization(queue.api),
      await anOrganization(queue.api),
    ]
    for (const { client } of clients) await client.post('/exports', { type: 'deals' })
    let most = 0
    let now = 0
    let stored = 0
    const counted = withStore(async () => {
      now += 1
      most = Math.max(most, now)
      await until('two at a time, or the last one', () => now === 2 || stored >= clients.length - 1)
      await sleep(100)
      stored += 1
      now -= 1
    })
    await runJobs(counted)
    expect(most).toBe(2)
    const lists = await Promise.all(clients.map(({ client }) => client.get('/exports')))
    expect(lists.flatMap(({ items }) => items.map(({ status }) => status))).toEqual(clients.map(() => 'completed'))
  })
})
