import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importJob } from '../../server/src/crm/imports/run/import-job.ts'
import { CommitUncertain, Database } from '../../server/src/kernel/sql/index.ts'
import { aContext } from '../conformance/support/bulk-jobs.ts'
import { download } from '../conformance/support/files.ts'
import { aForm } from '../conformance/support/forms.ts'
import { expectStatus, upload } from '../conformance/support/imports.ts'
import { invariants } from '../crash/support/invariants.ts'
import { aContact } from '../support/builders.ts'
import { createTestDatabase } from '../support/database.ts'
import { type GatheringApi, startGatheringApi } from '../support/gathering.ts'
import { anOrganization } from '../support/organization.ts'
import { Pooler } from '../support/pooler.ts'

let api: GatheringApi
let pooler: Pooler
let close: () => Promise<void>
beforeAll(async () => {
  const test = await createTestDatabase()
  pooler = new Pooler(test.location, 'sessions')
  const location = { url: await pooler.start() }
  const database = new Database({ location, connections: 8 })
  api = await startGatheringApi({ test: { ...test, location, database } })
  close = async () => {
    await api.close()
    await database.close()
    await pooler.stop()
  }
})
afterAll(() => close?.())

it.each([1, 2, 40])(
  'a commit that takes effect, and whose answer is lost, is a 500 for each of its writes, and repeating finds out: %i',
  async count => {
    const { id, client, application } = await anOrganization(api)
    const clients = [client, (await application()).client]
    const sent = Array.from({ length: count }, (_, index) => ({
      by: clients[index % 2] ?? client,
      key: randomUUID(),
      body: aContact(),
    }))
    const send = () =>
      Promise.all(
        sent.map(({ by, key, body }) => by.post('/contacts', body, { key, headers: { 'x-request-id': key } })),
      )
    pooler.losesCommits = true
    const lost = await api.together(count, send)
    pooler.losesCommits = false
    expect(lost.map(({ status, error }) => [status, error.code])).toEqual(sent.map(() => [500, 'internal_error']))

    const replayed = await send()
    expect(replayed.map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual(
      sent.map(() => [201, 'true']),
    )
    expect(replayed.map(({ data }) => data.externalId)).toEqual(sent.map(({ body }) => body.externalId))
    for (const [promise, violations] of invariants)
      expect([promise, ...(await api.test.database.search(violations, [id]))]).toEqual([promise])
  },
)

describe('a commit that takes effect, and whose answer is lost, leaves the file that it is about in the store:', () => {
  it("an upload's file, which the repetition finds", async () => {
    const { client } = await anOrganization(api)
    const form = aForm([
      { name: 'file', fileName: 'rows.csv', content: 'Name\nAnna\n' },
      { name: 'entityType', content: 'contacts' },
    ])
    const send = () => client.post('/imports', undefined, { ...form, key: 'upload' })
    pooler.losesCommits = true
    const lost = await send()
    pooler.losesCommits = false
    expect([lost.status, lost.error.code]).toEqual([500, 'internal_error'])

    const replayed = await send()
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expectStatus(await client.post(`/imports/${replayed.data.id}/preview`, {}), 200)
  })

  it('the file of errors of an import that has ended', async () => {
    const { id, client } = await anOrganization(api)
    const { id: importId } = expectStatus(await upload(client, 'Name,Mail\nAnna,nobody\n'), 201)
    const start = { mapping: { firstName: 'Name', email1: 'Mail' }, dedupPolicy: 'create_only' }
    expectStatus(await client.post(`/imports/${importId}/start`, start), 202)
    const run = () => importJob.run({ importId }, { ...aContext(api, { id }), turnEnds: 0 })
    expect(await run()).toBe('again')
    pooler.losesCommits = true
    await expect(run()).rejects.toThrow(CommitUncertain)
    pooler.losesCommits = false

    expect(await run()).toBe('done')
    const { data } = await client.get(`/imports/${importId}`)
    expect(data).toMatchObject({ status: 'completed_with_errors', counters: { failed: 1 } })
    expect((await download(data.errorsFileUrl)).status).toBe(200)
  })
})
