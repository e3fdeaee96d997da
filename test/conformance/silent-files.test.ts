import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type FileStore, FileStoreFailure, fileKey } from '../../server/src/kernel/files/index.ts'
import { bounds } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aBase, basesPath, putFile } from '../knowledge/support/knowledge.ts'
import { Bucket } from '../support/a-bucket.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { runJobs } from '../support/jobs.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { onASilentDisk } from '../support/silent-disk.ts'
import { attach, download } from './support/files.ts'
import { expectStatus, upload } from './support/imports.ts'
import { aRecord, outcome } from './support/requests.ts'
import { leftOf, nothing } from './support/uploads.ts'

const silence = 300
const mebibyte = 1024 * 1024

let bucket: Bucket
let withBucket: TestApi
let withDisk: TestApi
const usual = [bounds.bucketSilence.most, bounds.diskSilence.most] as const
beforeAll(async () => {
  bucket = await Bucket.start()
  Reflect.set(bounds.bucketSilence, 'most', silence)
  Reflect.set(bounds.diskSilence, 'most', silence)
  withBucket = await startApi({ s3: bucket.settings })
  withDisk = await startApi()
})
afterAll(async () => {
  Reflect.set(bounds.bucketSilence, 'most', usual[0])
  Reflect.set(bounds.diskSilence, 'most', usual[1])
  await withBucket.close()
  await withDisk.close()
  await bucket.stop()
})
afterEach(() => {
  bucket.mood = 'answers'
  bucket.silentForBytes = false
})

/** Does the work while the bucket says nothing. */
async function onASilentBucket<Result>(work: () => Promise<Result>): Promise<Result> {
  bucket.mood = 'silent'
  try {
    return await work()
  } finally {
    bucket.mood = 'answers'
  }
}

describe.each([
  ['bucket', () => withBucket, onASilentBucket],
  ['disk', () => withDisk, onASilentDisk],
] as const)('a %s that accepts and says nothing', (_, api, whileSilent) => {
  let organization: TestOrganization
  let owner: string
  beforeAll(async () => {
    organization = await anOrganization(api())
    owner = `/deals/${(await aRecord('deal', organization)).id}`
  })

  it('costs an upload a 503, nothing of it is held, and it is done when it comes again', async () => {
    const refused = await whileSilent(() => attach(organization.client, owner, 1, undefined, { key: 'silent' }))
    expect([outcome(refused), refused.headers.get('retry-after')]).toEqual(['503 service_unavailable', '5'])
    expect(api().failures.splice(0)).toMatchObject([{ facts: { busy: true } }])
    await expect.poll(() => leftOf(api())).toEqual(nothing)
    expect((await organization.client.get(owner)).data).toMatchObject({ version: 1, filesCount: 0 })
    const again = await attach(organization.client, owner, 1, undefined, { key: 'silent' })
    expect([again.status, again.meta.version]).toEqual([201, 2])
  })

  it('costs a download a 503, and nothing of it is held', async () => {
    const { items } = await organization.client.get(`${owner}/files`)
    const refused = await whileSilent(() => download(items[0]?.url))
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
    expect(api().failures.splice(0)).toHaveLength(1)
    await expect.poll(() => api().services.admission.usage().processRequests).toBe(0)
    expect((await download(items[0]?.url)).bytes.toString()).toBe('Two hundred chairs')
  })

  it('costs an export an attempt, and the next one writes the file', async () => {
    const id = (await organization.client.post('/exports', { type: 'deals' })).data.id
    const { ended } = await whileSilent(() => runJobs(api()))
    expect(ended).toMatchObject([{ outcome: 'failed', error: expect.any(FileStoreFailure) }])
    expect((await organization.client.get(`/exports/${id}`)).data).toMatchObject({ status: 'running' })
    const inUse = () =>
      api()
        .services.database.usage()
        .filter(pool => pool.total > pool.idle || pool.waiting > 0)
    await expect.poll(inUse).toEqual([])
    await api().test.database.search(dueNow, [])
    await runJobs(api())
    expect((await organization.client.get(`/exports/${id}`)).data).toMatchObject({ status: 'completed', rowCount: 1 })
  })

  it('does not undo a committed change: an import is canceled, and a file of a knowledge base is removed', async () => {
    const { client } = organization
    const { id } = expectStatus(await upload(client, 'Name\nAnna\n'), 201)
    const base = await aBase(client)
    expectStatus(await putFile(client, { base, id: 'faq', name: 'faq.txt', content: 'Tea is hot.' }), 200)
    const [canceled, removed] = await whileSilent(() =>
      Promise.all([client.post(`/imports/${id}/cancel`), client.delete(`${basesPath}/${base}/files/faq`)]),
    )
    expect([canceled.status, canceled.data.status, removed.status]).toEqual([200, 'canceled', 200])
    expect(api().failures.splice(0)).toMatchObject([
      { error: expect.any(FileStoreFailure) },
      { error: expect.any(FileStoreFailure) },
    ])
  })

  it('keeps nobody who lists or removes files', async () => {
    const { store } = api().services.files
    const key = fileKey({ organizationId: organization.id, purpose: 'attachment', id: organization.id })
    const failures = await whileSilent(() => Promise.all([store.remove(key), listed(store)].map(failureOf)))
    expect(failures).toEqual([expect.any(FileStoreFailure), expect.any(FileStoreFailure)])
  })
})

const dueNow = statement(
  'test_silent_jobs_due',
  'update graphile_worker._private_jobs set run_at = now() where locked_at is null',
)

const failureOf = (asked: Promise<unknown>) =>
  asked.then(
    () => null,
    (error: unknown) => error,
  )

async function listed(store: FileStore): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list('')) keys.push(key)
  return keys
}

describe('a bucket that falls silent while it sends a file', () => {
  it.each([
    ['before the first byte', () => void (bucket.silentForBytes = true)],
    ['in the middle', () => void (bucket.mood = 'silent in the middle')],
  ])('%s: the connection of the download is closed', async (_, fallSilent) => {
    const organization = await anOrganization(withBucket)
    const owner = `/deals/${(await aRecord('deal', organization)).id}`
    const { items } = await attach(organization.client, owner, 1)
    fallSilent()
    await expect(download(items[0]?.url)).rejects.toThrow('aborted')
    expect(withBucket.failures.splice(0)).toMatchObject([{ error: expect.any(FileStoreFailure) }])
    await expect.poll(() => withBucket.services.admission.usage().processRequests).toBe(0)
  })

  it('a reader may rest for longer than the bucket may be silent', async () => {
    const { store } = withBucket.services.files
    const key = fileKey({ organizationId: crypto.randomUUID(), purpose: 'export', id: crypto.randomUUID() })
    bucket.files.set(`/files/${key}`, Buffer.alloc(64 * mebibyte))
    let size = 0
    for await (const chunk of store.get(key)) {
      if (size === 0) await sleep(4 * silence)
      size += chunk.length
    }
    expect(size).toBe(64 * mebibyte)
  })
})
