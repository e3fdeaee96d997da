import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FileStoreFailure, type S3Settings, S3Store } from '../../server/src/kernel/files/index.ts'
import { attach, download } from '../conformance/support/files.ts'
import { aRecord, outcome } from '../conformance/support/requests.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { itKeepsItsPromises } from '../support/file-store-promises.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { useProcesses } from '../support/process.ts'
import { S3Server } from './s3-server.ts'

const processes = useProcesses()
let s3: S3Server
let api: TestApi
let organization: TestOrganization

beforeAll(async () => {
  s3 = await S3Server.start()
  api = await startApi({ s3: s3.settings })
  organization = await anOrganization(api)
})
afterAll(async () => {
  await api.close()
  await s3.remove()
})

const wrongKey = (): S3Settings => ({
  ...s3.settings,
  credentials: { accessKeyId: 'crm-test', secretAccessKey: 'a secret that is not known there' },
})

/** An environment for commands, on a bucket. */
const environmentOf = async ({ bucket, endpoint, credentials }: S3Settings) => ({
  CRM_DATA_DIR: await processes.folder(),
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  CRM_SECRET: 'a secret of the tests',
  S3_BUCKET: bucket,
  S3_ENDPOINT: String(endpoint),
  S3_ACCESS_KEY_ID: String(credentials?.accessKeyId),
  S3_SECRET_ACCESS_KEY: String(credentials?.secretAccessKey),
})

async function examined(settings: S3Settings): Promise<unknown> {
  const { out } = await processes.run(['doctor', '--json'], await environmentOf(settings))
  const { checks }: { checks: { name: string }[] } = JSON.parse(out)
  return checks.find(({ name }) => name === 's3')
}

describe('a bucket', () => {
  itKeepsItsPromises(() => api.services.files.store)

  it('is checked by doctor', async () => {
    const message = 'the bucket files takes files, and gives them back'
    expect(await examined(s3.settings)).toEqual({ name: 's3', ok: true, message })
  })

  it('that does not know the key is a failure of the store, whose report does not show the key', async () => {
    const store = new S3Store(wrongKey())
    const failure = await store.check().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(FileStoreFailure)
    const seen = [failure, await examined(wrongKey())].map(
      each => `${each} ${Object(each).stack} ${JSON.stringify(each)}`,
    )
    expect(seen.join()).toContain('SignatureDoesNotMatch')
    expect(seen.join()).not.toContain('a secret that is not known there')
  })

  it('has the files of deals, gives parts of them, and nothing without our link', async () => {
    const deal = await aRecord('deal', organization)
    const { items, status } = await attach(organization.client, `/deals/${deal.id}`, 1)
    expect(status).toBe(201)
    const whole = await download(items[0]?.url)
    expect([whole.status, whole.bytes.toString()]).toEqual([200, 'Two hundred chairs'])
    const part = await download(items[0]?.url, { headers: { range: 'bytes=4-10' } })
    expect([part.status, part.bytes.toString()]).toEqual([206, 'hundred'])
    const key = `${organization.id}/attachment/${items[0]?.id}`
    const direct = await download(`${s3.settings.endpoint}/${s3.settings.bucket}/${key}`)
    expect(direct.status).toBe(403)
  })

  it('that is away costs a 503 and no effect, and serves the repetition when it is back', async () => {
    const deal = await aRecord('deal', organization)
    const owner = `/deals/${deal.id}`
    const { items } = await attach(organization.client, owner, 1)
    await s3.stop()
    const refused = await attach(organization.client, owner, 2, undefined, { key: 'away' })
    expect([outcome(refused), refused.headers.get('retry-after')]).toEqual(['503 service_unavailable', '5'])
    expect((await download(items[0]?.url)).status).toBe(503)
    const log = JSON.stringify(api.failures.splice(0).map(failure => [failure, String(Object(failure).error)]))
    expect(log).toContain('the bucket of files')
    expect(log).not.toContain(String(s3.settings.credentials?.secretAccessKey))
    expect((await organization.client.get(owner)).data).toMatchObject({ version: 2, filesCount: 1 })
    await s3.start()
    const again = await attach(organization.client, owner, 2, undefined, { key: 'away' })
    expect([again.status, again.meta.version]).toEqual([201, 3])
    expect((await download(items[0]?.url)).status).toBe(200)
    expect(api.failures).toEqual([])
  })
})
