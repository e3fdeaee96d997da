import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itKeepsItsPromises } from '../../../../test/support/file-store-promises.ts'
import { DiskStore } from './disk-store.ts'
import { fileKey } from './file-key.ts'
import { FileStoreFailure } from './file-store.ts'

let folder: string
let store: DiskStore

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'crm-files-')), 'files')
  store = new DiskStore(folder)
})
afterAll(() => rm(join(folder, '..'), { recursive: true }))

const aKey = () => fileKey({ organizationId: randomUUID(), purpose: 'attachment', id: randomUUID() })

describe('a folder of this machine', () => {
  itKeepsItsPromises(() => store)

  it('is read by the user of this process alone', async () => {
    const spooled = join(folder, '..', 'spooled')
    await writeFile(spooled, 'x', { mode: 0o666 })
    const [one, other] = [aKey(), aKey()]
    await store.put(one, { path: spooled })
    await store.put(other, { chunks: (async function* () {})() })
    const modeOf = async (path: string) => ((await stat(join(folder, path))).mode & 0o777).toString(8)
    for (const key of [one, other]) {
      const [organization = '', purpose = ''] = key.split('/')
      expect([await modeOf(organization), await modeOf(`${organization}/${purpose}`)]).toEqual(['700', '700'])
      expect(await modeOf(key)).toBe('600')
    }
    expect(await modeOf('partial')).toBe('700')
  })

  it('keeps nothing of a file that was not completed within an hour', async () => {
    const drafts = join(folder, 'partial')
    await mkdir(drafts, { recursive: true })
    await writeFile(join(drafts, 'old'), 'x')
    await writeFile(join(drafts, 'young'), 'x')
    const old = new Date(Date.now() - 3_601_000)
    const age = () => utimes(join(drafts, 'old'), old, old)
    await age()
    const later = new DiskStore(folder)
    await later.put(aKey(), { chunks: (async function* () {})() })
    expect(await readdir(drafts)).toEqual(['young'])
    await writeFile(join(drafts, 'old'), 'x')
    await age()
    expect(await later.removeDrafts()).toBe(1)
    expect(await readdir(drafts)).toEqual(['young'])
  })

  it('keeps nothing of bytes that did not come to their end', async () => {
    async function* broken() {
      yield Buffer.from('x')
      throw new Error('the source is broken')
    }
    const before = await readdir(join(folder, 'partial'))
    await expect(store.put(aKey(), { chunks: broken() })).rejects.toThrow('the source is broken')
    expect(await readdir(join(folder, 'partial'))).toEqual(before)
  })

  it('that cannot be used is a failure of the store, and not of the request', async () => {
    const blocked = join(folder, '..', 'blocked')
    await writeFile(blocked, '')
    const broken = new DiskStore(blocked)
    const put = broken.put(aKey(), { chunks: (async function* () {})() })
    await expect(put).rejects.toBeInstanceOf(FileStoreFailure)
    await expect(broken.stat(aKey())).rejects.toBeInstanceOf(FileStoreFailure)
  })
})
