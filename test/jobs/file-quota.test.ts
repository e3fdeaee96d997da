import { describe, expect, it } from 'vitest'
import { exportsUpkeep } from '../../server/src/crm/exports/exports-upkeep.ts'
import { importsUpkeep } from '../../server/src/crm/imports/imports-upkeep.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { correctFileTotals } from '../../server/src/retention/file-totals.ts'
import { aFile, attach } from '../conformance/support/files.ts'
import { importFile, upload } from '../conformance/support/imports.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { aBase, basesPath, putFile } from '../knowledge/support/knowledge.ts'
import { TestClock } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { type Answer, objectOf } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import { useQueue } from './support.ts'

const kibibyte = 1024
const day = 86_400_000

const clock = new TestClock()
const queue = useQueue({ clock })

const setQuota = statement(
  'test_set_file_quota',
  'update organizations set file_quota_bytes = $2 where id = $1 returning 1',
)
const sumFiles = statement(
  'test_sum_files',
  'select coalesce(sum(f.size_bytes), 0)::bigint as bytes from files f where f.organization_id = $1',
)

const allow = (bytes: number) => queue.api.test.database.search(setQuota, [queue.organization.id, bytes])
const summed = async () => Number((await queue.api.test.database.search(sumFiles, [queue.organization.id]))[0]?.bytes)
const storage = async () => objectOf((await queue.organization.client.get('/capabilities')).data.storage)
const bytesOf = (kibibytes: number) => Buffer.alloc(kibibytes * kibibyte, 'x')

async function attachTo(kind: 'deal' | 'task', kibibytes: number): Promise<Answer> {
  const owner = `/${kind}s/${(await aRecord(kind, queue.organization)).id}`
  return attach(queue.organization.client, owner, 1, [aFile(bytesOf(kibibytes))])
}

async function anExport(): Promise<string> {
  const { data } = await queue.organization.client.post('/exports', { type: 'deals' })
  await runJobs(queue.api)
  clock.advance(1000)
  return String(data.id)
}

const statusOf = async (id: string) => (await queue.organization.client.get(`/exports/${id}`)).data.status

async function knowledge(kibibytes: number, base?: string): Promise<Answer> {
  const content = bytesOf(kibibytes)
  return putFile(queue.organization.client, {
    base: base ?? (await aBase(queue.organization.client)),
    id: 'f',
    name: 'a.txt',
    content,
  })
}

describe('the quota of the files of an organization', () => {
  it.each([
    ['an attachment', '/files', () => attachTo('deal', 8)],
    ['an import', '/file', () => upload(queue.organization.client, bytesOf(8))],
    ['a file of a knowledge base', '/file', () => knowledge(8)],
  ])('refuses %s that is too large, and says how much is used and what to do', async (_, path, send) => {
    expect((await attachTo('deal', 4)).status).toBe(201)
    await allow(10 * kibibyte)
    const { status, error, details } = await send()
    const used = { limit: 10 * kibibyte, usedBytes: 4 * kibibyte, neededBytes: 8 * kibibyte }
    expect([status, error.code, details]).toEqual([
      422,
      'validation_error',
      {
        issues: [{ path, rule: 'quota', message: expect.stringContaining('raise the quota') }],
        issueCount: 1,
        ...used,
      },
    ])
    expect(await storage()).toEqual({ quotaBytes: 10 * kibibyte, usedBytes: 4 * kibibyte })
    const stored: unknown[] = []
    for await (const file of queue.api.services.files.store.list(`${queue.organization.id}/`)) stored.push(file)
    expect(stored).toHaveLength(1)
    await allow(12 * kibibyte)
    expect((await send()).status).toBeLessThan(300)
  })

  it('is passed by none of many files that come at the same time', async () => {
    const owners = await Promise.all(Array.from({ length: 12 }, () => aRecord('deal', queue.organization)))
    await allow(5 * kibibyte)
    const answers = await Promise.all(
      owners.map(({ id }) => attach(queue.organization.client, `/deals/${id}`, 1, [aFile(bytesOf(1))])),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 201, ...Array(7).fill(422)])
    expect([await summed(), (await storage()).usedBytes]).toEqual([5 * kibibyte, 5 * kibibyte])
  })

  it('removes the oldest exports before it refuses a file, and no more of them than necessary', async () => {
    const ids = [await anExport(), await anExport(), await anExport()]
    const size = (await summed()) / 3
    await allow(3 * size + kibibyte)
    expect((await attachTo('task', 1)).status).toBe(201)
    expect(await Promise.all(ids.map(statusOf))).toEqual(['completed', 'completed', 'completed'])
    await allow(3 * size + 2 * kibibyte - 1)
    expect((await attachTo('task', 1)).status).toBe(201)
    expect(await Promise.all(ids.map(statusOf))).toEqual(['expired', 'completed', 'completed'])
    expect([await summed(), (await storage()).usedBytes]).toEqual(Array(2).fill(2 * size + 2 * kibibyte))
    const stored: unknown[] = []
    for await (const file of queue.api.services.files.store.list(`${queue.organization.id}/export/`)) stored.push(file)
    expect(stored).toHaveLength(2)
    // All exports together leave too little room: none goes.
    await allow(2 * kibibyte)
    expect((await attachTo('task', 1)).status).toBe(422)
    expect(await Promise.all(ids.map(statusOf))).toEqual(['expired', 'completed', 'completed'])
  })

  it('lets an export take the place of older ones, and fail where there is none', async () => {
    const first = await anExport()
    const size = await summed()
    await allow(2 * size - 1)
    const second = await anExport()
    expect([await statusOf(first), await statusOf(second), await summed()]).toEqual(['expired', 'completed', size])
    await allow(size - 1)
    const third = (await queue.organization.client.get(`/exports/${await anExport()}`)).data
    expect(third).toMatchObject({ status: 'failed', failure: { code: 'quota_exceeded' } })
    expect([await statusOf(second), (await storage()).usedBytes]).toEqual(['completed', size])
  })

  it('counts only the difference of a file that replaces another one', async () => {
    const base = await aBase(queue.organization.client)
    expect((await knowledge(4, base)).status).toBe(200)
    await allow(6 * kibibyte)
    expect((await knowledge(6, base)).status).toBe(200)
    expect((await storage()).usedBytes).toBe(6 * kibibyte)
  })
})

describe("the total size of an organization's files", () => {
  const expectTotal = async (bytes: number) =>
    expect([await summed(), (await storage()).usedBytes]).toEqual([bytes, bytes])

  it('is less when an import is cancelled or done, and when a file or base of knowledge is removed', async () => {
    const { client } = queue.organization
    const { id } = (await upload(client, 'Name\nAnna\n')).data
    await expectTotal(10)
    await client.post(`/imports/${id}/cancel`)
    await expectTotal(0)
    await importFile(queue.api, client, 'Name\nAnna\n', { mapping: { lastName: 'Name' } })
    // What became of its row is left.
    const left = `row,uuid,matchedBy,outcome\r\n2,${newId()},,created\r\n`.length
    await expectTotal(left)
    const base = await aBase(client)
    await knowledge(1, base)
    await client.delete(`${basesPath}/${base}/files/f`)
    await expectTotal(left)
    await knowledge(2, base)
    await expectTotal(left + 2 * kibibyte)
    await client.delete(`${basesPath}/${base}?confirmed=true`)
    await expectTotal(left)
  })

  it('is less when a person is erased whom files may mention', async () => {
    const { client } = queue.organization
    const contact = (await client.post('/contacts', aContact())).data
    await upload(client, 'Name\nAnna\n')
    expect((await storage()).usedBytes).toBe(10)
    expect((await client.delete(`/contacts/${contact.id}?expectedVersion=1`)).status).toBe(200)
    await expectTotal(0)
  })

  it('is less when exports and files of errors have grown old', async () => {
    await anExport()
    await importFile(queue.api, queue.organization.client, 'Name,Birth\nAnna,x\n', {
      mapping: { lastName: 'Name', birthDate: 'Birth' },
    })
    const before = await summed()
    expect((await storage()).usedBytes).toBe(before)
    clock.advance(8 * day)
    await exportsUpkeep.run(queue.api.services, new AbortController().signal)
    const errors = await summed()
    expect(errors).toBeLessThan(before)
    await expectTotal(errors)
    clock.advance(90 * day)
    await importsUpkeep.run(queue.api.services, new AbortController().signal)
    await expectTotal(0)
  })

  it('is corrected where a server of an older release has moved files without it', async () => {
    await attachTo('deal', 3)
    await queue.api.test.database.script(
      `update organization_feed set file_bytes = 7 where organization_id = '${queue.organization.id}'`,
    )
    await correctFileTotals.run(queue.api.services, new AbortController().signal)
    await expectTotal(3 * kibibyte)
  })
})
