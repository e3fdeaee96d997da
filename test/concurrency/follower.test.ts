import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact, aTask } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { everything, Follower } from '../support/follower.ts'
import { anOrganization } from '../support/organization.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** Creates records, changes every one, and removes each third. */
async function write(client: Client, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const isContact = index % 2 === 0
    const plural = isContact ? 'contacts' : 'tasks'
    const body = isContact ? aContact() : aTask()
    const { id } = (await client.post(`/${plural}`, body)).data
    const change = isContact ? { jobTitle: 'Buyer' } : { title: `Renamed ${index}` }
    const changed = await client.patch(`/${plural}/${id}`, { expectedVersion: 1, ...change })
    expect(changed.status).toBe(200)
    if (index % 3 === 0) expect((await client.delete(`/${plural}/${id}?expectedVersion=2`)).status).toBe(200)
  }
}

it('a client that follows the feed while others write has the records of the database, wherever it was stopped', async () => {
  const { client } = await anOrganization(api)
  await write(client, 12)
  const follower = new Follower(client)
  const writers = (count: number) => Promise.all(Array.from({ length: 4 }, () => write(client, count)))

  await Promise.all([writers(9), follower.begin()])
  for (const stopsAfter of [0, 1, 7, 23]) {
    await Promise.all([writers(5), follower.follow(stopsAfter)])
    await follower.follow()
    expect(follower.records).toEqual(await everything(client))
  }
  expect(follower.records.size).toBe(80)
  expect(api.failures).toEqual([])
})
