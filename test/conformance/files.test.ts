import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileKey, type StoredFile } from '../../server/src/kernel/files/index.ts'
import { type Client, objectOf } from '../support/client.ts'
import { aFile, attach, download, namesIn } from './support/files.ts'
import { aForm } from './support/forms.ts'
import { allBut, useApi } from './support/given.ts'
import { aRecord, outcome, plurals } from './support/requests.ts'
import { listOf, mebibyte, sha256 } from './support/uploads.ts'

const given = useApi()
const kinds = ['deal', 'task'] as const
const pathOf = (kind: (typeof kinds)[number], { id }: { readonly id?: unknown }) => `/${plurals[kind]}/${id}`

/** Everything that the store has of an organization. */
async function storedOf({ id }: { readonly id: string }): Promise<StoredFile[]> {
  const found: StoredFile[] = []
  for await (const file of given.api.services.files.store.list(`${id}/`)) found.push(file)
  return found
}

describe.each(kinds)('files of a %s', kind => {
  it('are attached in one step, shown with all members, and listed newest first', async () => {
    const organization = await given.organization()
    const { client } = organization
    const owner = pathOf(kind, await aRecord(kind, organization))
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex')
    const { status, items, meta } = await attach(client, owner, 1, [aFile('one', '../a/one.txt'), aFile(png, 'x.txt')])
    expect([status, meta]).toEqual([201, { version: 2, failed: [] }])
    const { clock } = given
    const now = new Date(clock.now()).toISOString()
    expect(items[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      version: 1,
      [`${kind}Id`]: owner.split('/').at(-1),
      name: 'one.txt',
      mimeType: 'text/plain',
      sizeBytes: 3,
      sha256: sha256('one'),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/files\/[\w-]+$/u),
      urlExpiresInSeconds: 3600,
      createdByUuid: null,
      applicationId: organization.applicationId,
      createdAt: now,
      updatedAt: now,
    })
    expect([items[1]?.mimeType, items[1]?.sizeBytes]).toEqual(['image/png', png.length])
    clock.advance(1000)
    await attach(client, owner, 2, [aFile('later', 'later.txt')])
    const { data } = await client.get(owner)
    expect([data.version, data.filesCount]).toEqual([3, 3])
    const first = await client.get(`${owner}/files?limit=1`)
    expect(namesIn(first)).toEqual(['later.txt'])
    const rest = await client.get(`${owner}/files?limit=5&cursor=${first.meta.nextCursor}`)
    expect([namesIn(rest).toSorted(), rest.meta.nextCursor]).toEqual([['one.txt', 'x.txt'], null])
    expect((await download(rest.items.find(({ name }) => name === 'x.txt')?.url)).bytes).toEqual(png)
  })

  it('that are too large fail alone; the version rises once for the others', async () => {
    const organization = await given.organization()
    const owner = pathOf(kind, await aRecord(kind, organization))
    const most = Buffer.alloc(10 * mebibyte)
    const tooLarge = Buffer.alloc(10 * mebibyte + 1)
    const files = [aFile(tooLarge, 'a'), aFile(most, 'b'), aFile(tooLarge, 'c'), aFile('', 'd')]
    const answer = await attach(organization.client, owner, 1, files)
    expect([answer.status, namesIn(answer), answer.meta.version]).toEqual([201, ['b', 'd'], 2])
    const message = 'A file has at most 10485760 bytes'
    expect(answer.meta.failed).toEqual([
      { index: 0, name: 'a', code: 'payload_too_large', message },
      { index: 2, name: 'c', code: 'payload_too_large', message },
    ])
    expect(await storedOf(organization)).toHaveLength(2)
  })

  it('that all fail change nothing', async () => {
    const organization = await given.organization()
    const record = await aRecord(kind, organization)
    const owner = pathOf(kind, record)
    const answer = await attach(organization.client, owner, 1, [aFile(Buffer.alloc(10 * mebibyte + 1), 'a')])
    expect(outcome(answer)).toBe('422 validation_error')
    expect(answer.details).toMatchObject({ issues: [{ path: '/files/0', rule: 'payload_too_large' }] })
    expect((await organization.client.get(owner)).data).toEqual(record)
    expect(await storedOf(organization)).toEqual([])
  })

  it('are detached one by one, and stay in storage', async () => {
    const organization = await given.organization()
    const { client } = organization
    const owner = pathOf(kind, await aRecord(kind, organization))
    const { items } = await attach(client, owner, 1, [aFile('a', 'a'), aFile('b', 'b')])
    const [id, url] = [items[0]?.id, items[0]?.url]
    const stale = await client.delete(`${owner}/files/${id}?expectedVersion=1`)
    expect([outcome(stale), stale.details.currentVersion]).toEqual(['409 version_conflict', 2])
    const { status, data, meta } = await client.delete(`${owner}/files/${id}?expectedVersion=2`)
    expect([status, data, meta]).toEqual([200, { id, detached: true, version: 3 }, {}])
    expect(namesIn(await client.get(`${owner}/files`))).toEqual(['b'])
    expect((await client.get(owner)).data).toMatchObject({ version: 3, filesCount: 1 })
    expect(outcome(await client.delete(`${owner}/files/${id}?expectedVersion=3`))).toBe('404 not_found')
    expect(await storedOf(organization)).toHaveLength(2)
    expect((await download(url)).bytes.toString()).toBe('a')
  })

  it('of one record are not found at another', async () => {
    const organization = await given.shared()
    const owner = pathOf(kind, await aRecord(kind, organization))
    const other = pathOf(kind, await aRecord(kind, organization))
    const { items } = await attach(organization.client, owner, 1)
    const answer = await organization.client.delete(`${other}/files/${items[0]?.id}?expectedVersion=1`)
    expect(outcome(answer)).toBe('404 not_found')
  })

  it('are no files of a record that is removed, and stay in storage', async () => {
    const organization = await given.organization()
    const owner = pathOf(kind, await aRecord(kind, organization))
    const { items } = await attach(organization.client, owner, 1)
    expect((await organization.client.delete(`${owner}?expectedVersion=2`)).status).toBe(200)
    const rows = await given.sql(`select 1 from ${kind}_files where ${kind}_id = $1`, [owner.split('/').at(-1)])
    expect(rows).toEqual([])
    expect(await storedOf(organization)).toHaveLength(1)
    expect((await download(items[0]?.url)).status).toBe(200)
  })

  it('are reported in the change feed, once for a request, and in the audit log', async () => {
    const organization = await given.organization()
    const { client } = organization
    const record = await aRecord(kind, organization)
    const { cursor } = (await client.get('/changes/cursor')).data
    const { items } = await attach(client, pathOf(kind, record), 1, [aFile('a', 'a'), aFile('b', 'b')])
    await client.delete(`${pathOf(kind, record)}/files/${items[1]?.id}?expectedVersion=2`)
    const told = (await client.get(`/changes?after=${cursor}`)).items
    const one = { kind: `${kind}.updated`, resourceId: record.id }
    expect(told).toMatchObject([
      { ...one, version: 2, changedFields: ['filesCount', 'files'] },
      { ...one, version: 3, changedFields: ['filesCount', 'files'] },
    ])
    const [detached, attached] = (await client.get(`/audit?resourceType=${kind}&limit=2`)).items
    expect(listOf(attached?.changes).map(({ field }) => field)).toEqual(['filesCount', 'files', 'files'])
    expect(listOf(detached?.changes).at(-1)).toMatchObject({ field: 'files', before: { name: 'b' }, after: null })
    const reader = await organization.token(allBut('crm_files_read'))
    const hidden = (await reader.get(`/audit?resourceType=${kind}&limit=1`)).items
    expect(JSON.stringify(hidden)).not.toContain('"b"')
  })

  it('show no more than the token may read', async () => {
    const organization = await given.shared()
    const shownTo = async (client: Client) => {
      const record = await aRecord(kind, organization)
      return (await attach(client, pathOf(kind, record), 1)).items[0] ?? {}
    }
    const withoutFiles = await shownTo(await organization.token(allBut('crm_files_read')))
    expect(withoutFiles).toMatchObject({ name: 'offer.txt', sizeBytes: 18 })
    expect(Object.keys(withoutFiles)).not.toContain('url')
    expect(Object.keys(withoutFiles)).not.toContain('urlExpiresInSeconds')
    const scope = kind === 'deal' ? 'crm_deals_read' : 'crm_tasks_read'
    expect(Object.keys(await shownTo(await organization.token(allBut(scope)))).toSorted()).toEqual(['id', 'version'])
    expect(Object.keys(await shownTo(await organization.token(allBut('crm_operators_read'))))).not.toContain(
      'createdByUuid',
    )
  })
})

it('a deal reports its files in its own feed', async () => {
  const organization = await given.shared()
  const deal = await aRecord('deal', organization)
  const { items } = await attach(organization.client, `/deals/${deal.id}`, 1, [aFile('a', 'a'), aFile('b', 'b')])
  await organization.client.delete(`/deals/${deal.id}/files/${items[0]?.id}?expectedVersion=2`)
  const events = (await organization.client.get(`/deals/${deal.id}/events`)).items
  const told = events.flatMap(({ kind, data }) => (String(kind).startsWith('deal.file_') ? [{ kind, data }] : []))
  expect(told).toHaveLength(3)
  expect(told[0]).toEqual({ kind: 'deal.file_detached', data: { fileId: items[0]?.id, name: 'a' } })
  for (const [index, name] of ['a', 'b'].entries())
    expect(told).toContainEqual({ kind: 'deal.file_attached', data: { fileId: items[index]?.id, name } })
  const poor = await organization.token(allBut('crm_files_read'))
  const less = (await poor.get(`/deals/${deal.id}/events`)).items
  const ids = less.flatMap(({ kind, data }) => (String(kind).startsWith('deal.file_') ? [data] : []))
  expect(ids).toEqual(told.map(({ data }) => ({ fileId: objectOf(data).fileId })))
})

describe('a form for files', () => {
  it('has one to ten of them, in the field for them', async () => {
    const organization = await given.shared()
    const { client } = organization
    const owner = `/deals/${(await aRecord('deal', organization)).id}`
    const eleven = Array.from({ length: 11 }, (_, index) => aFile('x', String(index)))
    expect(outcome(await attach(client, owner, 1, []))).toBe('400 validation_error')
    expect(outcome(await attach(client, owner, 1, eleven))).toBe('400 validation_error')
    expect(outcome(await attach(client, owner, 1, [{ ...aFile(), name: 'file' }]))).toBe('400 validation_error')
    const ten = await attach(client, owner, 1, eleven.slice(1))
    expect([ten.status, ten.items.length, ten.meta.version]).toEqual([201, 10, 2])
  })

  it.each(['', '?expectedVersion=0', '?expectedVersion=1.0', '?expectedVersion=+1'])(
    'names the version in the query: 400 for %j',
    async query => {
      const organization = await given.shared()
      const owner = `/deals/${(await aRecord('deal', organization)).id}`
      const answer = await organization.client.post(`${owner}/files${query}`, undefined, aForm([aFile()]))
      expect(outcome(answer)).toBe('400 validation_error')
    },
  )

  it('stores nothing if it is refused', async () => {
    const organization = await given.organization()
    const { client } = organization
    const deal = await aRecord('deal', organization)
    const conflict = await attach(client, `/deals/${deal.id}`, 7)
    expect([outcome(conflict), conflict.details.currentVersion]).toEqual(['409 version_conflict', 1])
    expect(outcome(await attach(client, `/deals/${organization.operator}`, 1))).toBe('404 not_found')
    expect(await storedOf(organization)).toEqual([])
  })

  it('is executed once, however often it is sent; a repetition stores nothing, and has links that are good', async () => {
    const organization = await given.organization()
    const { client } = organization
    const owner = `/deals/${(await aRecord('deal', organization)).id}`
    const first = await attach(client, owner, 1, [aFile()], { key: 'once' })
    given.clock.advance(7_200_000)
    const again = await attach(client, owner, 1, [aFile()], { key: 'once' })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    const { url: old, ...file } = first.items[0] ?? {}
    expect(again.items).toEqual([{ ...file, url: expect.any(String) }])
    expect([(await download(old)).status, (await download(again.items[0]?.url)).status]).toEqual([404, 200])
    expect(await storedOf(organization)).toHaveLength(1)
    expect((await client.get(owner)).data.version).toBe(2)
    const other = await attach(client, owner, 2, [aFile('else')], { key: 'once' })
    expect(outcome(other)).toBe('409 idempotency_conflict')
  })

  it('that two clients send at the same time is stored once, and leaves nothing of the other', async () => {
    const organization = await given.organization()
    const owner = `/deals/${(await aRecord('deal', organization)).id}`
    const sent = ['a', 'b', 'c'].map(name => attach(organization.client, owner, 1, [aFile(name, name)]))
    const answers = (await Promise.all(sent)).map(outcome)
    expect(answers.toSorted()).toEqual(['201', '409 version_conflict', '409 version_conflict'])
    expect(await storedOf(organization)).toHaveLength(1)
  })
})

it('a record has a thousand files at most', async () => {
  const organization = await given.organization()
  const deal = await aRecord('deal', organization)
  await given.sql('update deals set files_count = 999 where organization_id = $1 and id = $2', [
    organization.id,
    deal.id,
  ])
  const two = await attach(organization.client, `/deals/${deal.id}`, 1, [aFile(), aFile()])
  expect([outcome(two), two.details.limit]).toEqual(['422 validation_error', 1000])
  expect(await storedOf(organization)).toEqual([])
  expect((await attach(organization.client, `/deals/${deal.id}`, 1)).status).toBe(201)
})

describe('a store that fails', () => {
  const drafts = () => join(given.api.services.spool.directory, '..', 'files', 'partial')

  it('refuses the request with 503, keeps nothing, and serves the repetition when it is back', async () => {
    const organization = await given.organization()
    const owner = `/deals/${(await aRecord('deal', organization)).id}`
    await attach(organization.client, owner, 1)
    await rm(drafts(), { recursive: true })
    await writeFile(drafts(), 'no folder')
    const answer = await attach(organization.client, owner, 2, [aFile()], { key: 'again' })
    expect([outcome(answer), answer.headers.get('retry-after')]).toEqual(['503 service_unavailable', '5'])
    expect(given.api.failures.splice(0)).toHaveLength(1)
    expect((await organization.client.get(owner)).data.version).toBe(2)
    await rm(drafts())
    await mkdir(drafts())
    expect((await attach(organization.client, owner, 2, [aFile()], { key: 'again' })).status).toBe(201)
  })

  it('for one file alone is reported with that file', async () => {
    const organization = await given.organization()
    const owner = `/deals/${(await aRecord('deal', organization)).id}`
    const { files } = given.api.services
    const put = files.store.put.bind(files.store)
    let calls = 0
    files.store.put = async (key, source) => {
      calls += 1
      if (calls !== 2) return put(key, source)
      return put(fileKey({ organizationId: organization.id, purpose: 'attachment', id: organization.id }), {
        path: '/nowhere',
      })
    }
    try {
      const answer = await attach(organization.client, owner, 1, [aFile('a', 'a'), aFile('b', 'b'), aFile('c', 'c')])
      expect([answer.status, namesIn(answer)]).toEqual([201, ['a', 'c']])
      const message = 'The file could not be stored now: attach it again'
      expect(answer.meta).toEqual({
        version: 2,
        failed: [{ index: 1, name: 'b', code: 'service_unavailable', message }],
      })
    } finally {
      files.store.put = put
    }
    expect(given.api.failures.splice(0)).toHaveLength(1)
  })
})
