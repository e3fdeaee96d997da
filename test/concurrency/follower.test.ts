import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact, aTask } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { anOrganization } from '../support/organization.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const plurals: Readonly<Record<string, string>> = { contact: 'contacts', task: 'tasks' }

/**
 * A consumer as docs/contract section 11 tells integrators to write it. What it keeps outlives it: records, and the cursor of the
 * last page that it has applied whole.
 */
class Follower {
  readonly #client: Client
  readonly records = new Map<string, unknown>()
  #cursor = ''

  constructor(client: Client) {
    this.#client = client
  }

  /** First the position, then everything. */
  async begin(): Promise<void> {
    this.#cursor = String((await this.#client.get('/changes/cursor')).data.cursor)
    for (const [id, record] of await everything(this.#client)) this.records.set(id, record)
  }

  /** Applies pages until there is no more, or until it is stopped in the middle of one: then that page comes again. */
  async follow(stopsAfter = Number.POSITIVE_INFINITY): Promise<void> {
    let events = 0
    for (let more = true; more; ) {
      const page = await this.#client.get(`/changes?after=${this.#cursor}&limit=10`)
      for (const { resourceType, resourceId } of page.items) {
        events += 1
        if (events > stopsAfter) return
        await this.#fetch(String(plurals[String(resourceType)]), String(resourceId))
      }
      this.#cursor = String(page.meta.nextCursor)
      more = page.meta.hasMore === true
    }
  }

  /** What became of a record stands in the record: events only say that something did. */
  async #fetch(plural: string, id: string): Promise<void> {
    const { status, data } = await this.#client.get(`/${plural}/${id}`)
    if (status === 200) this.records.set(id, data)
    else this.records.delete(id)
  }
}

async function everything(client: Client): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  for (const plural of Object.values(plurals)) {
    for (let next = ''; ; ) {
      const { items, meta } = await client.get(`/${plural}?limit=20${next}`)
      for (const record of items) found.set(String(record.id), record)
      if (meta.nextCursor === null) break
      next = `&cursor=${String(meta.nextCursor)}`
    }
  }
  return found
}

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

it('that follows the feed while others write has what the database has, wherever it was stopped', async () => {
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
