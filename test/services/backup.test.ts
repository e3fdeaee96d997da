import { Readable } from 'node:stream'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { S3Objects, type S3Settings } from '../../server/src/kernel/files/index.ts'
import { attach } from '../conformance/support/files.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../migrations/empty-database.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aTask } from '../support/builders.ts'
import { type Commands, commandsOn, removeFolder } from '../support/commands.ts'
import { testSecret } from '../support/database.ts'
import { noEntrypoints } from '../support/no-entrypoints.ts'
import { anOrganization } from '../support/organization.ts'
import { S3Server } from './s3-server.ts'

let s3: S3Server
let api: TestApi
let here: Commands
let empty: EmptyDatabase
let there: Commands
let objects: S3Objects

const access = ({ bucket, endpoint, credentials }: S3Settings) => ({
  S3_BUCKET: bucket,
  S3_ENDPOINT: String(endpoint),
  S3_ACCESS_KEY_ID: String(credentials?.accessKeyId),
  S3_SECRET_ACCESS_KEY: String(credentials?.secretAccessKey),
})

beforeAll(async () => {
  s3 = await S3Server.start()
  objects = new S3Objects(s3.settings)
  api = await startApi({ s3: s3.settings })
  const { client } = await anOrganization(api)
  await attach(client, `/tasks/${(await client.post('/tasks', aTask())).data.id}`, 1)
  await api.services.authentication.requests.write()
  here = await commandsOn(api.test, noEntrypoints, api)
  empty = await createEmptyDatabase()
  there = await commandsOn({ ...empty, secret: testSecret }, noEntrypoints)
})
afterAll(async () => {
  await api.close()
  await empty.drop()
  await removeFolder(there)
  await s3.remove()
})

const run = (commands: Commands, words: string[], more = {}) =>
  commands.run([...words, '--json'], { ...commands.environment, ...access(s3.settings), ...more })

async function document(commands: Commands, ...words: string[]) {
  const { status, out, err } = await run(commands, words)
  expect([status, err]).toEqual([0, ''])
  return JSON.parse(out)
}

async function keys(prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of objects.list(prefix)) found.push(key)
  return found.toSorted()
}

const put = (key: string) => objects.put(key, { chunks: Readable.from([Buffer.from('x')]) })
const [old, older] = ['crm-backup-2020-02-01T000000Z.zip', 'crm-backup-2020-01-01T000000Z.zip']

test('a backup in a bucket is verified and restored from there, and the oldest go', async () => {
  const others = ['backups/notes.zip', `backups/older/${older}`, `backupsx/${older}`]
  for (const key of [...others, `backups/${old}`, `backups/${older}`]) await put(key)
  const written = await document(here, 'backup', '--to', 's3://files/backups/', '--keep', '2', '--with-files')
  expect(written).toMatchObject({
    file: expect.stringMatching(/^s3:\/\/files\/backups\/crm-backup-2\S+Z\.zip$/u),
    removed: [`s3://files/backups/${older}`],
    files: 1,
  })
  const key = String(written.file).replace('s3://files/', '')
  expect(await keys('backups')).toEqual([...others, `backups/${old}`, key].toSorted())
  expect(await objects.stat(key)).toMatchObject({ size: written.size })
  expect(await document(here, 'backup', 'verify', written.file)).toMatchObject({ files: 1, organization: null })
  expect(await document(there, 'restore', written.file)).toMatchObject({ files: 1, hasSameSecret: true })
})

test('a damaged or missing backup is reported', async () => {
  const reasonOf = async (...words: string[]) => (await run(here, words)).err.trim()
  expect(await reasonOf('backup', 'verify', 's3://files/backups/none.zip')).toBe(
    'there is no s3://files/backups/none.zip',
  )
  expect(await reasonOf('backup', 'verify', `s3://files/backups/${old}`)).toMatch(/^this is no file that "backup"/u)
})

test('a backup that fails, or that the bucket does not take, leaves no object, and removes none', async () => {
  const before = await keys('backups')
  const words = ['backup', '--to', 's3://files/backups', '--keep', '1', '--with-files']
  await api.test.database.script(larger)
  const [stored] = (await keys('')).filter(key => key.includes('/attachment/'))
  const content: Uint8Array[] = []
  for await (const chunk of objects.get(String(stored))) content.push(chunk)
  await objects.remove(String(stored))
  expect((await run(here, words)).err).toMatch(/^the file \S+ is missing: see doctor --files\n$/u)
  await objects.put(String(stored), { chunks: Readable.from(content) })
  const refused = await run(here, words, { S3_SECRET_ACCESS_KEY: 'a secret that is not known there' })
  expect([refused.status, refused.err]).toEqual([
    1,
    expect.stringMatching(/^The bucket refuses the credentials: [^\n]+\n$/u),
  ])
  expect(await keys('backups')).toEqual(before)
  const { endpoint = '', region = '', credentials } = s3.settings
  const client = new S3Client({ endpoint, region, ...(credentials && { credentials }), forcePathStyle: true })
  expect((await client.send(new ListMultipartUploadsCommand({ Bucket: 'files' }))).Uploads ?? []).toEqual([])
  client.destroy()
})

/** More than a part of an upload, so that the first part has arrived when the backup fails. */
const larger = `
  insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, actor_type, request_id, changes)
  select o.id, gen_random_uuid(), now(), 'contact', gen_random_uuid(), 'updated', 'system', gen_random_uuid(),
         jsonb_build_object('description', (select string_agg(md5(n::text || '.' || part), '') from generate_series(1, 150) part))
    from organizations o, generate_series(1, 20000) n`
