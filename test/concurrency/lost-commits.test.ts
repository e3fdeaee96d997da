import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Database } from '../../server/src/kernel/sql/index.ts'
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
