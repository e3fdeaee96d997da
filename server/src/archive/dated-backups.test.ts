import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach } from '../../../test/conformance/support/files.ts'
import { Bucket } from '../../../test/support/a-bucket.ts'
import { startApi, type TestApi } from '../../../test/support/api.ts'
import { aTask } from '../../../test/support/builders.ts'
import { type Commands, commandsOn } from '../../../test/support/commands.ts'
import { noEntrypoints } from '../../../test/support/no-entrypoints.ts'
import { anOrganization } from '../../../test/support/organization.ts'

let api: TestApi
let here: Commands
let folder: string
let organization: string

beforeAll(async () => {
  api = await startApi()
  const { id, client } = await anOrganization(api)
  organization = id
  await attach(client, `/tasks/${(await client.post('/tasks', aTask())).data.id}`, 1)
  here = await commandsOn(api.test, noEntrypoints, api)
  folder = await mkdtemp(join(tmpdir(), 'crm-dated-'))
})
afterAll(async () => {
  await api.close()
  await rm(folder, { recursive: true, force: true })
})

/** The path of the file that is attached. */
async function aStoredFile(): Promise<string> {
  const attachments = join(api.dataDirectory, 'files', organization, 'attachment')
  const [name = ''] = await readdir(attachments)
  return join(attachments, name)
}

describe('a backup by the clock', () => {
  it('gets a dated name in a folder, where the oldest beyond those that are kept go, and nothing else', async () => {
    const to = join(folder, 'dated')
    const others = ['notes.zip', 'crm-backup-2020-01-01.zip', 'crm-backup-2020-01-01T000000Z.zip.partial-x']
    const old = ['2020-01-01T000000Z', '2020-01-02T000000Z', '2021-01-01T120000Z'].map(time => `crm-backup-${time}.zip`)
    await mkdir(to)
    for (const name of [...others, ...old]) await writeFile(join(to, name), 'x')
    const written = await here.json('backup', '--to', to, '--keep', '2', '--with-files')
    expect(written).toMatchObject({
      file: expect.stringMatching(/\/dated\/crm-backup-\d{4}-\d\d-\d\dT\d{6}Z\.zip$/u),
      removed: [join(to, old[0] ?? ''), join(to, old[1] ?? '')],
    })
    const path = String(written.file)
    expect((await readdir(to)).toSorted()).toEqual([...others, old[2] ?? '', basename(path)].toSorted())
    expect((await stat(path)).size).toBe(written.size)
    expect(await here.json('backup', 'verify', path)).toMatchObject({ hasSecret: false })
    // Another folder: in the same second the name would be the same.
    const another = join(folder, 'another')
    await mkdir(another)
    for (const name of old) await writeFile(join(another, name), 'x')
    expect((await here.run(['backup', '--to', another, '--keep', '2'])).out).toMatch(
      / Removed older ones: \S+\.zip, \S+\.zip\.\n$/u,
    )
  })

  it('that fails removes no older one, and leaves nothing', async () => {
    const to = join(folder, 'failing')
    await mkdir(to)
    await writeFile(join(to, 'crm-backup-2020-01-01T000000Z.zip'), 'x')
    const stored = await aStoredFile()
    const content = await readFile(stored)
    await rm(stored)
    expect(await here.reasonOf('backup', '--to', to, '--keep', '1', '--with-files')).toMatch(
      /^the file \S+ is missing/u,
    )
    await writeFile(stored, content)
    expect(await readdir(to)).toEqual(['crm-backup-2020-01-01T000000Z.zip'])
  })

  it('that a bucket gives back otherwise is removed from there', async () => {
    // It gives all bytes, whichever are asked for.
    const bucket = await Bucket.start()
    const { endpoint, credentials } = bucket.settings
    const access = {
      ...here.environment,
      S3_BUCKET: 'files',
      S3_ENDPOINT: String(endpoint),
      S3_ACCESS_KEY_ID: String(credentials?.accessKeyId),
      S3_SECRET_ACCESS_KEY: String(credentials?.secretAccessKey),
    }
    const { status, err } = await here.run(['backup', '--to', 's3://files/nightly', '--keep', '1'], access)
    expect([status, err]).toEqual([1, expect.stringMatching(/^(?:this is no file|the list of what is in the file)/u)])
    expect(bucket.requests).toBeGreaterThan(3)
    expect([...bucket.files.keys()]).toEqual([])
    await bucket.stop()
  })

  it('wants one place, and at least one backup that is kept', async () => {
    const place = 'a backup goes into a file, or with --to into a folder or bucket: name one of them'
    expect(await here.reasonOf('backup')).toBe(place)
    expect(await here.reasonOf('backup', join(folder, 'x.zip'), '--to', folder)).toBe(place)
    expect(await here.reasonOf('backup', join(folder, 'x.zip'), '--keep', '7')).toBe('--keep goes with --to')
    for (const keep of ['0', 'x'])
      expect(await here.reasonOf('backup', '--to', folder, '--keep', keep)).toBe('--keep is a whole number from 1 on')
    expect(await here.reasonOf('backup', '--to', 's3:///x')).toBe('s3:///x names no bucket: write s3://bucket/prefix')
  })
})
