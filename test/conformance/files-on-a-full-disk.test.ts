import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { aSmallDisk } from '../process/support/small-disk.ts'
import { aFile, attach } from './support/files.ts'
import { useApi } from './support/given.ts'
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
