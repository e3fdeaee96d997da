import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { aSmallDisk } from '../process/support/small-disk.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { aFile, attach } from './support/files.ts'
import { useApi } from './support/given.ts'
import { upload } from './support/imports.ts'
import { aRecord, outcome } from './support/requests.ts'
import { leftOf, mebibyte, nothing } from './support/uploads.ts'

const disk = aSmallDisk(40)
const given = useApi(disk === null ? {} : { dataDirectory: disk.folder })
afterAll(() => disk?.remove())

/** Takes so many bytes of the disk. */
async function fill(bytes: number): Promise<() => Promise<void>> {
  const path = join(disk?.folder ?? '', 'filler')
  const file = await open(path, 'w')
  await file.write(Buffer.alloc(bytes))
  await file.close()
  return () => rm(path)
}

describe.runIf(disk !== null)('on a disk without room', () => {
  it.each([
    ['for what is stored', 24],
    ['for what comes', 34],
  ])('%s, files are refused with 503, and nothing of them is left', async (_, filled) => {
    // Others take the room of the disk at the same moment: the reserve is not seen to be reached.
    const unseen = vi.spyOn(given.api.services.diskReserve, 'isReached').mockReturnValue(false)
    onTestFinished(() => unseen.mockRestore())
    const organization = await given.organization()
    const owner = `/deals/${(await aRecord('deal', organization)).id}`
    const large = aFile(Buffer.alloc(9 * mebibyte))
    const empty = await fill(filled * mebibyte)
    const refused = await attach(organization.client, owner, 1, [large], { key: 'large' })
    expect([outcome(refused), refused.headers.get('retry-after')]).toEqual(['503 service_unavailable', '5'])
    expect(given.api.failures.splice(0)).toMatchObject([{ facts: { busy: true } }])
    expect(await leftOf(given.api)).toEqual(nothing)
    const drafts = await readdir(join(disk?.folder ?? '', 'files', 'partial')).catch(() => [])
    expect(drafts).toEqual([])
    expect((await organization.client.get(owner)).data).toMatchObject({ version: 1, filesCount: 0 })
    await empty()
    const again = await attach(organization.client, owner, 1, [large], { key: 'large' })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null])
    await given.api.services.files.discard([
      { organizationId: organization.id, purpose: 'attachment', id: String(again.items[0]?.id) },
    ])
  })
})

it('for a while after the database had no room files are refused, and nothing else', async () => {
  const { client } = await given.shared()
  given.api.services.diskSpace.note(Object.assign(new Error('could not extend file'), { code: '53100' }))
  const { status, headers, error, details } = await upload(client, 'Name\nAnna\n')
  const told = [status, error.code, details.bound, headers.get('retry-after')]
  expect(told).toEqual([503, 'service_unavailable', 'fullDatabase', '5'])
  expect((await client.post('/exports', { type: 'deals' })).details.bound).toBe('fullDatabase')
  expect((await client.post('/tasks', { title: 'Call' })).status).toBe(201)
  setBound(bounds.fullDatabase, 1)
  await until('files to be taken again', async () => (await upload(client, 'Name\nAnna\n')).status === 201)
})
